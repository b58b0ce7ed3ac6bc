// @ts-check
/** The board: static layers, lit places, counters; zoom, pan, fit, keyboard.  It knows places and counters, no questions. */

import { announce, h, s } from "./dom.js";

const SIZE = 44;
const ANGLES = { n: 0, ne: 60, e: 90, se: 120, s: 180, sw: 240, w: 270, nw: 300 };
const SQUARE_ANGLES = { n: 0, ne: 45, e: 90, se: 135, s: 180, sw: 225, w: 270, nw: 315 };
const POINTY_ANGLES = { ne: 30, e: 90, se: 150, sw: 210, w: 270, nw: 330 };

/** @typedef {import("./view.js").Counter} Counter */

export class Board {
  /**
   * @param {HTMLElement} pane
   * @param {import("./view.js").View} view
   * @param {Document} drawing @param {Document} symbols
   * @param {(place: string|null, counter: Counter|null, point: {x: number, y: number}) => void} clicked
   */
  constructor(pane, view, drawing, symbols, clicked) {
    this.pane = pane;
    this.view = view;
    this.clicked = clicked;
    this.symbols = symbols;
    /** @type {number} */
    this.width = view.layout.size[0];
    /** @type {number} */
    this.height = view.layout.size[1];
    this.fitted = true;
    /** @type {number[]|null} */
    this.dragged = null;
    this.scale = 1;
    this.x = 0;
    this.y = 0;
    /** @type {string|null} */
    this.fanned = null;
    /** @type {string|null} */
    this.cursor = null;
    /** @type {Map<string|null, Counter[]>} */
    this.stacks = new Map();
    this.litPlaces = new Set();
    this.litPieces = new Set();
    this.defs = s("defs");
    this.ground = s("g", { class: "ground" });
    this.holders = s("g", { class: "holders" });
    this.lit = s("g", { class: "lit-places" });
    this.told = s("g", { class: "told-places" });
    this.layer = s("g", { class: "counters" });
    this.pointer = s("g", { class: "pointer" });
    this.world = s("g", {}, this.ground, this.holders, this.lit, this.told, this.layer, this.pointer);
    this.svg = s("svg", {
      class: "map", tabindex: 0, role: "application",
      "aria-label": "Map. Arrow keys go from place to place, Enter chooses, plus and minus zoom, 0 shows all.",
    }, this.defs, this.world);
    this.defs.append(s("pattern", { id: "lit-hatch", width: 9, height: 9, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      s("path", { d: "M0 0v9", stroke: "#c2410c", "stroke-width": 3, "stroke-opacity": 0.55 })));
    for (const child of [...drawing.documentElement.children]) this.ground.append(document.importNode(child, true));
    // Names stay readable over the colours of who holds a place.
    const names = this.ground.querySelector(":scope > .names");
    if (names) this.holders.after(names);
    pane.append(this.svg);
    this.mini = h("div", { class: "mini", "aria-hidden": "true" });
    this.frame = h("div", { class: "mini-frame" });
    pane.append(this.mini);
    this.listen();
    this.fit();
    new ResizeObserver(() => this.fitted && this.fit()).observe(pane);
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
    this.scale = Math.min(box.width / this.width, box.height / this.height) || 1;
    this.x = (box.width - this.width * this.scale) / 2;
    this.y = Math.max(0, (box.height - this.height * this.scale) / 2);
    this.place();
  }

  /** While the map is dragged its picture is moved as it is, which is cheap; it is drawn anew when it comes to rest. @param {number} dx @param {number} dy */
  drag(dx, dy) {
    this.x += dx;
    this.y += dy;
    this.fitted = false;
    const [x, y] = this.dragged || [0, 0];
    this.dragged = [x + dx, y + dy];
    this.svg.style.transform = `translate(${x + dx}px, ${y + dy}px)`;
  }

  place() {
    this.dragged = null;
    this.svg.style.transform = "";
    const box = this.pane.getBoundingClientRect();
    const margin = 80;
    this.x = Math.min(box.width - margin, Math.max(margin - this.width * this.scale, this.x));
    this.y = Math.min(box.height - margin, Math.max(margin - this.height * this.scale, this.y));
    this.world.setAttribute("transform", `translate(${this.x} ${this.y}) scale(${this.scale})`);
    const whole = this.width * this.scale <= box.width * 1.05 && this.height * this.scale <= box.height * 1.05;
    this.mini.hidden = whole;
    if (!whole) {
      const wide = 150, high = (150 * this.height) / this.width, k = wide / this.width;
      this.mini.style.width = `${wide}px`;
      this.mini.style.height = `${high}px`;
      this.frame.style.left = `${(-this.x / this.scale) * k}px`;
      this.frame.style.top = `${(-this.y / this.scale) * k}px`;
      this.frame.style.width = `${(box.width / this.scale) * k}px`;
      this.frame.style.height = `${(box.height / this.scale) * k}px`;
    }
  }

  /** The first look: all of the map, or where most counters are if they would be too small to read. */
  start() {
    this.fit();
    const places = [...this.stacks.keys()].map((name) => (name === null ? null : this.view.places.get(name)?.cell)).filter(Boolean);
    if (SIZE * this.scale >= 20 || !places.length) return;
    const middle = (/** @type {number[]} */ list) => list.sort((a, b) => a - b)[list.length >> 1];
    this.zoom(30 / (SIZE * this.scale));
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
    this.place();
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

  listen() {
    /** @type {Map<number, {x: number, y: number}>} */
    const fingers = new Map();
    let moved = 0;
    this.svg.addEventListener("pointerdown", (event) => {
      fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      moved = 0;
    });
    this.svg.addEventListener("pointermove", (event) => {
      const before = fingers.get(event.pointerId);
      if (!before) return;
      const dx = event.clientX - before.x, dy = event.clientY - before.y;
      moved += Math.abs(dx) + Math.abs(dy);
      if (moved < 6) return;
      this.svg.setPointerCapture(event.pointerId);
      if (fingers.size === 2) {
        const [other] = [...fingers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
        const was = Math.hypot(before.x - other.x, before.y - other.y);
        const now = Math.hypot(event.clientX - other.x, event.clientY - other.y);
        const box = this.pane.getBoundingClientRect();
        if (was > 0) this.zoom(now / was, (event.clientX + other.x) / 2 - box.left, (event.clientY + other.y) / 2 - box.top);
      } else this.drag(dx, dy);
      fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    });
    const up = (/** @type {PointerEvent} */ event) => {
      if (this.dragged) this.place();
      if (!fingers.delete(event.pointerId) || event.type !== "pointerup" || moved >= 6) return;
      const box = this.pane.getBoundingClientRect();
      const point = { x: event.clientX - box.left, y: event.clientY - box.top };
      const hit = /** @type {Element} */ (event.target).closest?.("[data-piece]");
      const counter = hit ? this.find(hit.getAttribute("data-domain") || "", hit.getAttribute("data-piece") || "") : null;
      const place = counter ? counter.place : this.at((point.x - this.x) / this.scale, (point.y - this.y) / this.scale);
      this.cursor = place;
      this.clicked(place, counter, point);
    };
    this.svg.addEventListener("pointerup", up);
    this.svg.addEventListener("pointercancel", up);
    this.svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      const box = this.pane.getBoundingClientRect();
      this.zoom(Math.exp(-event.deltaY / 500), event.clientX - box.left, event.clientY - box.top);
    }, { passive: false });
    this.svg.addEventListener("keydown", (event) => this.key(event));
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

  /** Marks what can be chosen. @param {Iterable<string>} places @param {Iterable<string>} pieces */
  light(places, pieces) {
    this.litPlaces = new Set(places);
    this.litPieces = new Set(pieces);
    this.lit.replaceChildren();
    const path = [...this.litPlaces].map((name) => this.view.places.get(name)?.cell).filter(Boolean).map(outline).join("");
    if (path) this.lit.append(s("path", { d: path, class: "lit-fill", "fill-rule": "evenodd" }), s("path", { d: path, class: "lit-line", "fill-rule": "evenodd" }));
  }

  /** Marks the places that something speaks of. @param {string[]} places */
  tell(places) {
    const path = places.map((name) => this.view.places.get(name)?.cell).filter(Boolean).map(outline).join("");
    this.told.replaceChildren();
    if (path) this.told.append(s("path", { d: path }));
  }

  /** All counters anew; a few hundred nodes take a millisecond or two. */
  draw() {
    this.stacks = this.view.stacks();
    const nodes = [], holders = [];
    for (const [name, { cell, space }] of this.view.places) {
      const holder = this.view.holder(name);
      if (!holder) continue;
      if (this.view.layout.spaces[space].shape === "square")
        nodes.push(s("circle", { cx: cell.x, cy: cell.y, r: 22, fill: this.view.colour(holder), class: "stone", "data-side": holder }),
          s("text", { x: cell.x, y: cell.y + 5, class: "stone-letter" }, holder.slice(0, 1).toUpperCase()));
      else holders.push(s("path", { d: outline(cell), fill: this.view.colour(holder), "fill-rule": "evenodd", class: this.view.layout.spaces[space].shape }));
    }
    this.holders.replaceChildren(...holders);
    for (const [place, stack] of this.stacks) {
      const cell = place === null ? null : this.view.places.get(place)?.cell;
      if (cell) nodes.push(...this.stack(place || "", cell, stack));
    }
    // A stack that is fanned out lies over all others.
    nodes.sort((a, b) => Number(a.hasAttribute("data-fanned")) - Number(b.hasAttribute("data-fanned")));
    this.layer.replaceChildren(...nodes);
    this.drawPointer();
  }

  /** @param {string} place @param {any} cell @param {Counter[]} stack @returns {SVGElement[]} */
  stack(place, cell, stack) {
    const fanned = this.fanned === place && stack.length > 1;
    const shape = this.view.layout.spaces[this.view.places.get(place)?.space || ""]?.shape;
    const room = shape === "area" ? Math.max(26, Math.min(SIZE, cell.r * 1.4)) : SIZE;
    const size = fanned ? SIZE : stack.length > 2 && shape === "area" ? room * 0.8 : room;
    const nodes = [];
    const across = Math.ceil(Math.sqrt(stack.length));
    stack.forEach((counter, index) => {
      let x = cell.x - size / 2, y = cell.y - size / 2 + 3;
      if (fanned) {
        x += ((index % across) - (across - 1) / 2) * (size + 3);
        y += (Math.floor(index / across) - (Math.ceil(stack.length / across) - 1) / 2) * (size + 3);
      } else {
        const shift = Math.min(6, 14 / stack.length);
        x += (index - (stack.length - 1) / 2) * shift * 1.6;
        y -= (index - (stack.length - 1) / 2) * shift;
      }
      nodes.push(this.counter(counter, x, y, size, fanned));
    });
    if (stack.length > 1 && !fanned) {
      const far = size / 2 + 2;
      nodes.push(s("g", { class: "badge", transform: `translate(${(cell.x + far).toFixed(1)} ${(cell.y + far - 4).toFixed(1)})` },
        s("circle", { r: 7 }), s("text", { y: 3.5 }, String(stack.reduce((sum, one) => sum + one.names.length, 0)))));
    }
    return nodes;
  }

  /** @param {Counter} counter @param {number} x @param {number} y @param {number} size @param {boolean} fanned */
  counter(counter, x, y, size, fanned) {
    const lit = counter.names.some((name) => this.litPieces.has(`${counter.domain}/${name}`));
    const group = s("g", {
      class: `counter${lit ? " lit" : ""}`, "data-domain": counter.domain, "data-piece": counter.name,
      "data-fanned": fanned || null, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${(size / SIZE).toFixed(3)})`,
      color: this.view.colour(counter.side),
    }, s("use", { href: `#${this.symbol(counter.symbol)}`, width: SIZE, height: SIZE }));
    if (lit) group.append(s("rect", { class: "lit-ring", x: -2, y: -2, width: SIZE + 4, height: SIZE + 4, rx: 6 }));
    const alike = this.view.layout.pieces[counter.domain].alike;
    const text = alike ? (counter.names.length > 1 ? `×${counter.names.length}` : "") : short(counter.name);
    if (text) group.append(s("text", { x: 3, y: 9.5, class: alike ? "number" : "name" }, text));
    const steps = this.view.layout.pieces[counter.domain].steps;
    if (steps && typeof counter.fields[steps] === "number")
      group.append(s("text", { x: 3, y: 24, class: "steps" }, String(counter.fields[steps])));
    const states = Object.entries(counter.fields).filter(([field, value]) => value === true || (/^(status|hit|command|order|mode|state|posture)$/.test(field) && counter.marks.some((mark) => mark.startsWith(`${field} `))))
      .map(([field, value]) => (value === true ? field : this.view.value(counter.domain, field, typeof value === "object" ? value?.name : value)).replace(/_/g, " ").slice(0, 11)).slice(0, 2);
    if (states.length) group.append(s("text", { x: SIZE / 2, y: SIZE + 7, class: "states" }, states.join(" ")));
    if (counter.facing) {
      const turn = this.angle(counter);
      if (turn !== null) group.append(s("path", { d: "M0-35l5 13h-10z", class: "facing", transform: `translate(22 22) rotate(${turn})` }));
    }
    return group;
  }

  /** @param {Counter} counter @returns {number|null} */
  angle(counter) {
    const space = counter.place && this.view.places.get(counter.place)?.space;
    const entry = space ? this.view.layout.spaces[space] : null;
    /** @type {Record<string, number>} */
    const angles = entry?.shape === "square" ? SQUARE_ANGLES : entry?.flat === false ? POINTY_ANGLES : ANGLES;
    return angles[counter.facing || ""] ?? null;
  }

  /** Puts a symbol into the page when it is first used. @param {string} id @returns {string} */
  symbol(id) {
    if (!this.defs.querySelector(`[id="${CSS.escape(id)}"]`)) {
      const found = this.symbols.getElementById(id);
      if (!found) return id === "back" ? id : this.symbol("back");
      this.defs.append(document.importNode(found, true));
    }
    return id;
  }
}

/** @param {any} cell */
function outline(cell) {
  return [cell.polygon, ...(cell.rings || [])].map((ring) => `M${ring.map((/** @type {number[]} */ p) => p.join(" ")).join("L")}Z`).join("");
}

/** Whether a point lies in a place: in an odd number of its outlines. @param {any} cell @param {number} x @param {number} y */
function within(cell, x, y) {
  return [cell.polygon, ...(cell.rings || [])].filter((ring) => inside(ring, x, y)).length % 2 === 1;
}

/** @param {number[][]} polygon @param {number} x @param {number} y */
function inside(polygon, x, y) {
  let odd = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [xi, yi] = polygon[i], [xj, yj] = polygon[j];
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) odd = !odd;
  }
  return odd;
}

/** @param {string} name */
function short(name) {
  return name.length <= 6 ? name : name.replace(/^.*_(\d+)$/, "$1").slice(0, 5);
}
