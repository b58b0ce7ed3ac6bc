// @ts-check
/** What hands do on the map: drag it or a counter, pinch, turn the wheel, point, click. */

/** @typedef {import("./view.js").Counter} Counter */

const STILL = 6;

/** @param {import("./board.js").Board} board */
export function listen(board) {
  const { svg, pane } = board;
  /** @type {Map<number, {x: number, y: number}>} */
  const fingers = new Map();
  let moved = 0;
  /** @type {Counter|null} the counter under the finger that went down */
  let held = null;
  /** @type {import("./view.js").Counter|null} */
  let carried = null;
  let hovering = 0;

  const point = (/** @type {MouseEvent} */ event) => {
    const box = pane.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const on = (/** @type {Element|null} */ target) => {
    const hit = target?.closest?.("[data-piece]");
    return hit ? board.find(hit.getAttribute("data-domain") || "", hit.getAttribute("data-piece") || "") : null;
  };

  svg.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    moved = 0;
    held = fingers.size === 1 ? on(/** @type {Element} */ (event.target)) || board.stoneAt(point(event)) : null;
  });
  svg.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) {
      if (event.pointerType === "mouse") {
        cancelAnimationFrame(hovering);
        const at = point(event);
        hovering = requestAnimationFrame(() => board.hovered(at));
      }
      return;
    }
    const dx = event.clientX - before.x, dy = event.clientY - before.y;
    moved += Math.abs(dx) + Math.abs(dy);
    if (moved < STILL) return;
    svg.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (fingers.size === 2) {
      const [other] = [...fingers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
      const was = Math.hypot(before.x - other.x, before.y - other.y);
      const now = Math.hypot(event.clientX - other.x, event.clientY - other.y);
      const box = pane.getBoundingClientRect();
      if (was > 0) board.zoom(now / was, (event.clientX + other.x) / 2 - box.left, (event.clientY + other.y) / 2 - box.top);
      return;
    }
    if (held && !carried && board.carries(held)) carried = board.lift(held);
    if (carried) board.carry(point(event));
    else board.drag(dx, dy);
  });

  const up = (/** @type {PointerEvent} */ event) => {
    const down = fingers.delete(event.pointerId);
    const at = point(event);
    if (carried) {
      const counter = carried;
      carried = held = null;
      board.lay();
      if (event.type === "pointerup") {
        const place = board.placeAt(at);
        board.dropped(counter, place, place === null ? null : board.topAt(place, counter, at), at);
      }
      return;
    }
    board.rest();
    if (!down || event.type !== "pointerup" || moved >= STILL) return;
    const counter = on(/** @type {Element} */ (event.target));
    const place = counter ? counter.place : board.placeAt(at);
    board.cursor = place;
    board.clicked(place, counter, at);
  };
  svg.addEventListener("pointerup", up);
  svg.addEventListener("pointercancel", up);
  svg.addEventListener("pointerleave", () => board.hovered(null));
  svg.addEventListener("wheel", (event) => {
    event.preventDefault();
    const at = point(event);
    board.zoom(Math.exp(-event.deltaY / 500), at.x, at.y);
  }, { passive: false });
  svg.addEventListener("keydown", (event) => board.key(event));
}
