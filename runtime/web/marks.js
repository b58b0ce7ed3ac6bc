// @ts-check
/** What is marked on the map, over the sheet and between the counters: what can be chosen and pointed at, what is spoken of, costs,
 *  chances, ways, what a rule paints. */

import { s } from "./dom.js";
import { outline } from "./shapes.js";

/** So many lit places, and a third of the map, are drawn lightly. */
const MANY = 30;
/** @typedef {import("./view.js").Counter} Counter */

export class Marks {
  /** @param {import("./view.js").View} view */
  constructor(view) {
    this.view = view;
    this.lit = s("g", { class: "lit-places" });
    this.shade = s("g", { class: "shades" });
    this.told = s("g", { class: "told-places" });
    this.newest = s("g", { class: "recent-places" });
    this.way = s("g", { class: "trail" });
    this.hints = s("g", { class: "hints" });
    this.prices = s("g", { class: "prices" });
    /** @type {Set<string>} */
    this.litPlaces = new Set();
    /** @type {Set<string>} */
    this.litPieces = new Set();
    /** @type {Set<string>} counters that an action would ask for */
    this.hinted = new Set();
    /** @type {Map<string|null, Counter[]>} */
    this.stacks = new Map();
  }

  /** The counters are drawn anew where they look different. */
  draw() {}

  /** Marks what can be chosen. @param {Iterable<string>} places @param {Iterable<string>} pieces */
  light(places, pieces) {
    this.litPlaces = new Set(places);
    this.litPieces = new Set(pieces);
    this.lit.replaceChildren();
    this.prices.replaceChildren();
    this.lit.classList.toggle("many", this.litPlaces.size > MANY && this.litPlaces.size * 3 > this.view.places.size);
    const path = [...this.litPlaces].map((name) => this.view.places.get(name)?.cell).filter(Boolean).map(outline).join("");
    if (path) this.lit.append(s("path", { d: path, class: "lit-fill", "fill-rule": "evenodd" }), s("path", { d: path, class: "lit-line", "fill-rule": "evenodd" }));
  }

  /** Marks the places that something speaks of. @param {string[]} places */
  tell(places) {
    const path = places.map((name) => this.view.places.get(name)?.cell).filter(Boolean).map(outline).join("");
    this.told.replaceChildren();
    if (path) this.told.append(s("path", { d: path }));
  }

  /** Marks the places where something has happened since one looked last. @param {Iterable<string>} places */
  remind(places) {
    const path = [...places].map((name) => this.view.places.get(name)?.cell).filter(Boolean).map(outline).join("");
    this.newest.replaceChildren(...(path ? [s("path", { d: path, "fill-rule": "evenodd" })] : []));
  }

  /** What could be pointed at as well, before it is asked for. @param {string[]} places @param {string[]} pieces */
  hint(places, pieces) {
    if (!places.length && !pieces.length && !this.hinted.size && !this.hints.firstChild) return;
    this.hinted = new Set(pieces);
    const path = places.map((name) => this.view.places.get(name)?.cell).filter(Boolean).map(outline).join("");
    this.hints.replaceChildren(...(path ? [s("path", { d: path, "fill-rule": "evenodd" })] : []));
    this.draw();
  }

  /** Texts at places: what it costs to get there, what it promises. @param {Map<string, string>} texts */
  price(texts) {
    this.prices.replaceChildren(...[...texts].map(([name, text]) => {
      const cell = this.view.places.get(name)?.cell;
      return s("text", { x: cell.x, y: cell.y + (this.stacks.has(name) ? -20 : 16), class: "price" }, text);
    }));
  }

  /** A way over the map. @param {string[]|null} places @param {string} [told] */
  trail(places, told = "") {
    this.way.replaceChildren();
    const cells = (places || []).map((name) => this.view.places.get(name)?.cell).filter(Boolean);
    if (cells.length < 2) return;
    const last = cells[cells.length - 1];
    this.way.append(s("polyline", { points: cells.map((cell) => `${cell.x},${cell.y}`).join(" ") }), s("circle", { cx: last.x, cy: last.y, r: 11 }), s("text", { x: last.x, y: last.y + 4.5 }, told));
  }

  /** Places in shades: what a rule says of each. @param {Map<string, string>} shades place -> class */
  paint(shades) {
    /** @type {Map<string, string[]>} */
    const paths = new Map();
    for (const [name, shade] of shades) {
      const cell = this.view.places.get(name)?.cell;
      if (cell) paths.set(shade, [...(paths.get(shade) || []), outline(cell)]);
    }
    this.shade.replaceChildren(...[...paths].map(([shade, list]) => s("path", { d: list.join(""), class: `shade ${shade}`, "fill-rule": "evenodd" })));
  }
}
