// @ts-check
/** The board: the printed sheet, lit places, counters; where we look, and the keyboard.  It knows places and counters, no questions. */

import { SIZE, drawCounter, pile, prune, restore } from "./counters.js";
import { announce, h, s } from "./dom.js";
import { listen } from "./hands.js";
import { Marks } from "./marks.js";
import { outline, within } from "./shapes.js";
import { Sheet } from "./sheet.js";

/** How much is drawn beyond each side of the window, so that a moved map has no holes. */
const BEYOND = 0.35;
/** How high the tools are that lie over the map, and how much room beside it they need. */
const TOOLS = 48;
const BESIDE = 330;
/** A moved or zoomed map is drawn anew when it has come to rest. */
const REST = 90;
/** Counters smaller than this, in pixels, have no writing; smaller than that, a colour only. */
const READABLE = 18;
const KNOWN = 13;
/** @typedef {import("./view.js").Counter} Counter */
/** @typedef {{x: number, y: number}} Point */
/**
 * What the board tells of hands.
 * @typedef {{clicked: (place: string|null, counter: Counter|null, point: Point) => void, carries: (counter: Counter) => boolean,
 *   lifted: (counter: Counter) => void, dropped: (counter: Counter, place: string|null, onto: Counter|null, point: Point) => void,
 *   hovered: (place: string|null) => void}} Hands
 */

export class Board extends Marks {
  /**
   * @param {HTMLElement} pane
   * @param {import("./view.js").View} view
   * @param {Document} drawing @param {Document} symbols
   * @param {Hands} hands
   */
  constructor(pane, view, drawing, symbols, hands) {
    super(view);
    this.pane = pane;
    this.hands = hands;
    this.symbols = symbols;
    /** @type {number} */
    this.width = view.layout.size[0];
    /** @type {number} */
    this.height = view.layout.size[1];
    this.sheet = new Sheet(drawing, this.width, this.height);
    this.fitted = true;
    /** 1: nothing that is written on a counter could be read, so it is not drawn; 2: nor is its sign */
    this.coarse = 0;
    this.scale = 1;
    this.x = 0;
    this.y = 0;
    /** where it was drawn last */
    this.drawn = { x: 0, y: 0, scale: 1, wide: 0, high: 0 };
    this.resting = 0;
    /** @type {string|null} */
    this.fanned = null;
    /** @type {string|null} */
    this.cursor = null;
    /** @type {string|null|undefined} */
    this.under = undefined;
    /** @type {Map<string, {sign: string, node: SVGElement}>} what is drawn at each place */
    this.piles = new Map();
    this.heldBy = "";
    this.labelled = "";
    this.states = s("g", { class: "place-states", "aria-hidden": "true" });
    this.defs = s("defs");
    this.stones = s("g", { class: "stones" });
    this.layer = s("g", { class: "counters" });
    this.pointer = s("g", { class: "pointer" });
    this.hand = s("g", { class: "hand" });
    this.world = s("g", {}, this.shade, this.newest, this.hints, this.lit, this.told, this.stones, this.states, this.layer, this.prices, this.way, this.pointer, this.hand);
    this.svg = s("svg", {
      class: "map", tabindex: 0, role: "application",
      "aria-label": "Map. Arrow keys go from place to place, Enter chooses or takes up, Escape puts back, plus and minus zoom, 0 shows all.",
    }, this.defs, this.world);
    this.defs.append(s("pattern", { id: "lit-hatch", width: 9, height: 9, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      s("path", { d: "M0 0v9", stroke: "#c2410c", "stroke-width": 3, "stroke-opacity": 0.55 })));
    this.defs.append(s("pattern", { id: "shade-hatch", width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(-45)" },
      s("rect", { width: 7, height: 7, fill: "#1d4ed8", "fill-opacity": 0.16 }), s("path", { d: "M0 0v7", stroke: "#1e3a8a", "stroke-width": 1.4, "stroke-opacity": 0.5 })));
    this.plane = h("div", { class: "plane" }, this.sheet.canvas, this.svg);
    pane.append(this.plane);
    this.mini = h("div", { class: "mini", "aria-hidden": "true" });
    this.frame = h("div", { class: "mini-frame" });
    pane.append(this.mini);
    listen(this);
    this.sheet.onready = () => this.place();
    this.fit();
    new ResizeObserver(() => (this.fitted ? this.fit() : this.place())).observe(pane);
  }

  /** @param {string} url */
  minimap(url) {
    this.mini.append(h("img", { src: url, alt: "" }), this.frame);
    this.mini.addEventListener("pointerdown", (event) => {
      const box = this.mini.getBoundingClientRect();
      this.centre(((event.clientX - box.left) / box.width) * this.width, ((event.clientY - box.top) / box.height) * this.height);
    });
    this.place();
  }

  // ---- where we look

  fit() {
    const box = this.pane.getBoundingClientRect();
    this.fitted = true;
    const fitting = (/** @type {number} */ high) => Math.min(box.width / this.width, high / this.height) || 1;
    this.scale = fitting(box.height);
    // The map's tools lie beside it, or over it.
    const above = (box.width - this.width * this.scale) / 2 < BESIDE && this.height * this.scale > box.height - TOOLS ? TOOLS : 0;
    this.scale = fitting(box.height - above);
    this.x = (box.width - this.width * this.scale) / 2;
    this.y = above + Math.max(0, (box.height - above - this.height * this.scale) / 2);
    this.place();
  }

  /** While the map is moved its picture is moved as it is, which is cheap; it is drawn anew when it comes to rest. @param {number} dx @param {number} dy */
  drag(dx, dy) {
    this.x += dx;
    this.y += dy;
    this.fitted = false;
    this.glide();
  }

  /** Shows what was drawn where it belongs now. */
  glide() {
    const { drawn } = this;
    const k = this.scale / drawn.scale;
    const dx = this.x - drawn.x * k, dy = this.y - drawn.y * k;
    const most = BEYOND * 0.9;
    if (k < 0.5 || k > 3 || (k === 1 && (Math.abs(dx) > drawn.wide * most || Math.abs(dy) > drawn.high * most))) return this.place();
    this.plane.style.transform = k === 1 ? `translate(${dx}px, ${dy}px)` : `translate(${dx}px, ${dy}px) scale(${k})`;
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.place(), k === 1 ? 400 : REST);
  }

  /** The hand has let go. */
  rest() {
    if (this.plane.style.transform) this.place();
  }

  place() {
    clearTimeout(this.resting);
    const wide = this.pane.clientWidth, high = this.pane.clientHeight;
    const margin = 80;
    this.x = Math.min(wide - margin, Math.max(margin - this.width * this.scale, this.x));
    this.y = Math.min(high - margin, Math.max(margin - this.height * this.scale, this.y));
    this.drawn = { x: this.x, y: this.y, scale: this.scale, wide, high };
    this.plane.style.transform = "";
    const left = Math.round(wide * BEYOND), top = Math.round(high * BEYOND);
    this.svg.setAttribute("width", String(wide + 2 * left));
    this.svg.setAttribute("height", String(high + 2 * top));
    this.svg.style.left = `${-left}px`;
    this.svg.style.top = `${-top}px`;
    const coarse = SIZE * this.scale < KNOWN ? 2 : SIZE * this.scale < READABLE ? 1 : 0;
    if (coarse !== this.coarse) {
      this.coarse = coarse;
      this.draw();
    }
    this.world.setAttribute("transform", `translate(${this.x + left} ${this.y + top}) scale(${this.scale})`);
    this.sheet.draw(-left, -top, wide + 2 * left, high + 2 * top, this.x, this.y, this.scale);
    this.cull();
    const whole = this.width * this.scale <= wide * 1.05 && this.height * this.scale <= high * 1.05;
    this.mini.hidden = whole;
    if (!whole) {
      const across = Math.min(wide < 500 ? 90 : 150, wide * 0.22, (high * 0.32 * this.width) / this.height), down = (across * this.height) / this.width, k = across / this.width;
      this.mini.style.width = `${across}px`;
      this.mini.style.height = `${down}px`;
      this.frame.style.left = `${(-this.x / this.scale) * k}px`;
      this.frame.style.top = `${(-this.y / this.scale) * k}px`;
      this.frame.style.width = `${(wide / this.scale) * k}px`;
      this.frame.style.height = `${(high / this.scale) * k}px`;
    }
  }

  /** Only what is in sight, or nearly, is in the page. */
  cull() {
    const { x, y, scale, wide, high } = this.drawn;
    const left = (-wide * BEYOND - x) / scale - SIZE, right = (wide * (1 + BEYOND) - x) / scale + SIZE;
    const top = (-high * BEYOND - y) / scale - SIZE, bottom = (high * (1 + BEYOND) - y) / scale + SIZE;
    for (const [place, { node }] of this.piles) {
      const cell = this.view.places.get(place)?.cell;
      const seen = cell && cell.x > left && cell.x < right && cell.y > top && cell.y < bottom;
      if (seen && !node.isConnected) {
        restore(this, node);
        this.layer.append(node);
      } else if (!seen && node.isConnected) node.remove();
    }
    prune(this);
  }

  /** The first look: all of the map, or where most counters are if they would be too small to read. */
  start() {
    this.fit();
    const places = [...this.stacks.keys()].map((name) => (name === null ? null : this.view.places.get(name)?.cell)).filter(Boolean);
    if (SIZE * this.scale >= 20 || !places.length) return;
    const middle = (/** @type {number[]} */ list) => list.sort((a, b) => a - b)[list.length >> 1];
    this.scale *= 30 / (SIZE * this.scale);
    this.centre(middle(places.map((cell) => cell.x)), middle(places.map((cell) => cell.y)));
  }

  /** @param {number} factor @param {number} [cx] @param {number} [cy] */
  zoom(factor, cx, cy) {
    const box = this.pane.getBoundingClientRect();
    const px = cx ?? box.width / 2, py = cy ?? box.height / 2;
    const scale = Math.min(6, Math.max(0.1, this.scale * factor));
    this.x = px - ((px - this.x) * scale) / this.scale;
    this.y = py - ((py - this.y) * scale) / this.scale;
    this.scale = scale;
    this.fitted = false;
    this.glide();
  }

  /** @param {number} x @param {number} y */
  centre(x, y) {
    const box = this.pane.getBoundingClientRect();
    this.x = box.width / 2 - x * this.scale;
    this.y = box.height / 2 - y * this.scale;
    this.fitted = false;
    this.place();
  }

  /** Brings a place into sight if it is not. @param {string} name */
  show(name) {
    const cell = this.view.places.get(name)?.cell;
    if (!cell) return;
    const box = this.pane.getBoundingClientRect();
    const x = cell.x * this.scale + this.x, y = cell.y * this.scale + this.y;
    if (x < 30 || y < 30 || x > box.width - 30 || y > box.height - 30) this.centre(cell.x, cell.y);
  }

  /** Where a place is on the screen, from the pane's corner. @param {string} name */
  screen(name) {
    const cell = this.view.places.get(name)?.cell;
    return cell ? { x: cell.x * this.scale + this.x, y: cell.y * this.scale + this.y } : { x: 40, y: 40 };
  }

  // ---- hands

  /** @param {string|null} place @param {Counter|null} counter @param {Point} point */
  clicked(place, counter, point) {
    this.drawPointer();
    this.hands.clicked(place, counter, point);
  }

  /** @param {Counter} counter */
  carries(counter) {
    return this.hands.carries(counter);
  }

  /** A counter leaves the map and follows the finger. @param {Counter} counter */
  lift(counter) {
    const cell = counter.place && this.view.places.get(counter.place)?.cell;
    this.hand.replaceChildren(counter.symbol ? drawCounter(this, counter, -SIZE / 2, -SIZE / 2, SIZE, false) : s("circle", { r: 22, fill: this.view.colour(counter.side), class: "stone" }));
    if (cell) this.hand.setAttribute("transform", `translate(${cell.x} ${cell.y})`);
    this.svg.classList.add("carrying");
    this.hands.lifted(counter);
    return counter;
  }

  /** A stone on a square that can be chosen, as if it were a counter. @param {Point} point @returns {Counter|null} */
  stoneAt(point) {
    const place = this.placeAt(point);
    const side = place !== null && this.litPlaces.has(place) ? this.view.holder(place) : null;
    if (place === null || !side || this.view.layout.spaces[this.view.places.get(place)?.space || ""]?.shape !== "square") return null;
    return { domain: "", name: place, names: [place], fields: {}, kind: null, row: null, side, place, label: this.view.placeTitle(place), facing: null, marks: [], symbol: "" };
  }

  /** @param {Point} point */
  carry(point) {
    this.hand.setAttribute("transform", `translate(${((point.x - this.x) / this.scale).toFixed(1)} ${((point.y - this.y) / this.scale).toFixed(1)})`);
    this.hovered(point);
  }

  lay() {
    this.hand.replaceChildren();
    this.svg.classList.remove("carrying");
  }

  /** @param {Counter} counter @param {string|null} place @param {Counter|null} onto @param {Point} point */
  dropped(counter, place, onto, point) {
    this.hands.dropped(counter, place, onto, point);
  }

  /** @param {Point|null} point */
  hovered(point) {
    const place = point ? this.placeAt(point) : null;
    if (place === this.under) return;
    this.under = place;
    this.hands.hovered(place);
  }

  /** @param {Point} point @returns {string|null} */
  placeAt(point) {
    return this.at((point.x - this.x) / this.scale, (point.y - this.y) / this.scale);
  }

  /** The counter that something is laid on. @param {string} place @param {Counter} but @param {Point} point @returns {Counter|null} */
  topAt(place, but, point) {
    const cell = this.view.places.get(place)?.cell;
    const near = cell && Math.hypot(point.x - (cell.x * this.scale + this.x), point.y - (cell.y * this.scale + this.y)) < SIZE * this.scale;
    return (near && (this.stacks.get(place) || []).filter((one) => one !== but).at(-1)) || null;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const ways = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
    const way = ways[/** @type {keyof typeof ways} */ (event.key)];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (way && event.shiftKey) {
      this.x -= way[0] * 60;
      this.y -= way[1] * 60;
      this.fitted = false;
      this.place();
    } else if (way) this.step(way[0], way[1]);
    else if (event.key === "Enter" || event.key === " ") {
      if (this.cursor) this.clicked(this.cursor, null, this.screen(this.cursor));
    } else if (event.key === "+" || event.key === "=") this.zoom(1.3);
    else if (event.key === "-") this.zoom(1 / 1.3);
    else if (event.key === "0") this.fit();
    else return;
    event.preventDefault();
  }

  /** The neighbour that lies most in this direction. @param {number} dx @param {number} dy */
  step(dx, dy) {
    const here = this.cursor && this.view.places.get(this.cursor);
    /** @type {string|null} */
    let best = null;
    if (!here) best = this.at(this.width / 2, this.height / 2) || this.view.places.keys().next().value || null;
    else {
      let most = 0.3;
      for (const name of here.cell.neighbours) {
        const cell = this.view.places.get(name)?.cell;
        if (!cell) continue;
        const x = cell.x - here.cell.x, y = cell.y - here.cell.y;
        const along = (x * dx + y * dy) / Math.hypot(x, y);
        if (along > most) [best, most] = [name, along];
      }
    }
    if (!best) return announce("the edge of the map");
    this.cursor = best;
    this.show(best);
    this.drawPointer();
    const lit = this.litPlaces.has(best) ? ", can be chosen" : "";
    announce(this.view.describe(best, this.stacks.get(best) || []) + lit);
  }

  drawPointer() {
    this.pointer.replaceChildren();
    const cell = this.cursor && this.view.places.get(this.cursor)?.cell;
    if (cell && document.activeElement === this.svg) this.pointer.append(s("path", { d: outline(cell), class: "cursor" }));
  }

  /** The place at a point of the map. @param {number} x @param {number} y @returns {string|null} */
  at(x, y) {
    let found = null, least = Infinity;
    for (const [name, { cell }] of this.view.places) {
      const away = (cell.x - x) ** 2 + (cell.y - y) ** 2;
      if (away < least && within(cell, x, y)) [found, least] = [name, away];
    }
    return found;
  }

  /** @param {string} domain @param {string} name @returns {Counter|null} */
  find(domain, name) {
    for (const stack of this.stacks.values())
      for (const counter of stack) if (counter.domain === domain && counter.names.includes(name)) return counter;
    return null;
  }

  // ---- what is on it

  /** What has changed is drawn anew; the rest stays. */
  draw() {
    this.stacks = this.view.stacks();
    this.drawHolders();
    this.drawStates();
    const kept = new Set();
    for (const [place, stack] of this.stacks) {
      const cell = place === null ? null : this.view.places.get(place)?.cell;
      if (!cell || place === null) continue;
      kept.add(place);
      const sign = this.sign(place, stack);
      const known = this.piles.get(place);
      if (known?.sign === sign) continue;
      known?.node.remove();
      this.piles.set(place, { sign, node: s("g", { class: "pile" }, ...pile(this, place, cell, stack)) });
    }
    for (const [place, { node }] of this.piles) {
      if (kept.has(place)) continue;
      node.remove();
      this.piles.delete(place);
    }
    this.cull();
    // A stack that is fanned out lies over all others.
    const fan = this.fanned === null ? null : this.piles.get(this.fanned)?.node;
    if (fan?.isConnected) this.layer.append(fan);
    this.drawPointer();
  }

  /** Whether a counter can be chosen, or pointed at. @param {Counter} counter */
  ring(counter) {
    const among = (/** @type {Set<string>} */ set) => set.size > 0 && counter.names.some((name) => set.has(`${counter.domain}/${name}`));
    return among(this.litPieces) ? "lit-ring" : among(this.hinted) ? "hint-ring" : "";
  }

  /** All that decides how a stack looks. @param {string} place @param {Counter[]} stack */
  sign(place, stack) {
    return `${this.fanned === place}|${this.coarse}|` + stack.map((one) => [one.domain, one.names.join(" "), one.symbol, one.side, one.facing, one.label, one.marks.join(" "), this.ring(one)].join(":")).join("|");
  }

  /** The shapes of a side's pattern, to be repeated over what it holds. @param {string} side */
  sidePattern(side) {
    const shapes = this.symbols.getElementById(`side-${this.view.sideNumber(side)}`)?.firstElementChild?.getAttribute("d");
    return shapes ? new Path2D(shapes) : null;
  }

  /** What stands out of the state of places: objectives, works, what a hex is worth. */
  drawStates() {
    const labels = this.view.labels();
    const sign = [...labels].map(([name, text]) => `${name}:${text}`).join(" ");
    if (sign === this.labelled) return;
    this.labelled = sign;
    this.states.replaceChildren(...[...labels].map(([name, text]) => {
      const { cell } = this.view.places.get(name) || {};
      // Below the counters; where the map prints something there, above it.
      return s("text", { x: cell.x, y: cell.y + (cell.marks?.length ? 23 : 32), class: "place-state" }, text);
    }));
  }

  /** Who holds what: colours on the sheet, or stones on squares. */
  drawHolders() {
    /** @type {[string, string, string][]} */
    const found = [];
    for (const [name, { space }] of this.view.places) {
      const holder = this.view.holder(name);
      if (holder) found.push([name, holder, this.view.layout.spaces[space].shape]);
    }
    const sign = found.map(([name, holder]) => `${name}:${holder}`).join(" ");
    if (sign === this.heldBy) return;
    this.heldBy = sign;
    this.stones.replaceChildren(...found.filter(([, , shape]) => shape === "square").flatMap(([name, holder]) => {
      const cell = this.view.places.get(name)?.cell;
      return [s("circle", { cx: cell.x, cy: cell.y, r: 23, fill: this.view.colour(holder), class: "stone", "data-side": holder }),
        s("path", { d: `M${cell.x - 17} ${cell.y - 3}a17.500 17.500 0 0 1 26-13`, class: "shine" }),
        s("text", { x: cell.x, y: cell.y + 5, class: "stone-letter" }, holder.slice(0, 1).toUpperCase())];
    }));
    this.sheet.holders = found.filter(([, , shape]) => shape !== "square").map(([name, holder, shape]) => [this.view.colour(holder), new Path2D(outline(this.view.places.get(name)?.cell)), shape === "area" ? 0.6 : 0.3, this.sidePattern(holder)]);
    this.place();
  }
}
