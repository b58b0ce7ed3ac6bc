// @ts-check
/** The map in words: what lies where, what is around a place and in which direction, how far everything is, what a rule paints.
 *  Whoever does not see the map can play by it: all of it is text and buttons. */

import { h } from "./dom.js";

/** @typedef {import("./view.js").View} View */
/** @typedef {import("./view.js").Counter} Counter */

/** Things near a place that are told of. */
const NEAR = 12;

/** The map in words: places where something is, with their directions; and any place by its name. @param {View} view @param {Map<string|null, Counter[]>} stacks @param {(place: string) => void} go @param {Set<string>} lit @param {{title: string, places: string[]}|null} shown */
export function wordsPanel(view, stacks, go, lit, shown) {
  const found = h("div", { "aria-live": "polite" });
  const input = h("input", { type: "search", list: "place-names", "aria-label": "place", placeholder: "a place" });
  const look = () => {
    const name = /** @type {HTMLInputElement} */ (input).value.trim();
    const known = view.places.has(name) ? name : [...view.places.keys()].find((one) => view.placeTitle(one).toLowerCase() === name.toLowerCase());
    found.replaceChildren(known ? placeWords(known, view, stacks, go) : document.createTextNode(name ? `there is no place ${name}` : ""));
  };
  const places = [...view.places.keys()].filter((name) => stacks.has(name) || view.placeStates(name).length).sort();
  const landmarks = [...view.places].filter(([, { cell }]) => landmark(cell)).map(([name]) => name);
  return [
    h("form", { class: "look", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); look(); } }, input, h("button", {}, "Describe"),
      h("datalist", { id: "place-names" }, ...[...view.places.keys()].map((name) => h("option", { value: name })))),
    found,
    lit.size ? h("p", {}, `${lit.size} places can be chosen: ${[...lit].slice(0, 30).map((name) => view.placeTitle(name)).join(", ")}${lit.size > 30 ? " ..." : ""}`) : null,
    shown ? h("h3", {}, `${shown.title}: ${shown.places.length} places`) : null,
    shown ? h("ul", { class: "words" }, ...shown.places.filter((name) => stacks.has(name)).map((name) => h("li", {}, h("button", { type: "button", class: "plain", onclick: () => go(name) }, view.describe(name, stacks.get(name) || [])))),
      h("li", {}, shown.places.filter((name) => !stacks.has(name)).map((name) => view.placeTitle(name)).join(", "))) : null,
    h("h3", {}, "Where something is"),
    h("ul", { class: "words" }, ...places.map((name) => h("li", {}, h("button", { type: "button", class: "plain", onclick: () => go(name) }, view.describe(name, stacks.get(name) || []))))),
    landmarks.length ? h("h3", {}, "Landmarks") : null,
    landmarks.length ? h("ul", { class: "words" }, ...landmarks.map((name) => h("li", {}, h("button", { type: "button", class: "plain", onclick: () => go(name) }, view.describe(name, []))))) : null,
  ];
}

/** A place and all that is around it: its neighbours by direction, then counters and landmarks by distance. @param {string} name @param {View} view @param {Map<string|null, Counter[]>} stacks @param {(place: string) => void} go */
export function placeWords(name, view, stacks, go) {
  const { cell, space } = /** @type {any} */ (view.places.get(name));
  const area = view.layout.spaces[space].shape === "area";
  const link = (/** @type {string} */ other, /** @type {string} */ text) => h("li", {}, h("button", { type: "button", class: "plain", onclick: () => go(other) }, text));
  const near = nearby(name, view, stacks);
  return h("div", { class: "place" }, h("p", {}, view.describe(name, stacks.get(name) || [])),
    h("h4", {}, "Around it"),
    h("ul", { class: "words" }, ...cell.neighbours.map((/** @type {string} */ other) => {
      const there = view.places.get(other)?.cell;
      const border = cell.borders?.[other];
      const way = area ? "" : compass(there.x - cell.x, there.y - cell.y) + ": ";
      return link(other, way + view.describe(other, stacks.get(other) || []) + (border ? `; between: ${border.join(", ")}` : ""));
    })),
    near.length ? h("h4", {}, "Near it") : null,
    near.length ? h("ul", { class: "words near" }, ...near.map(({ place, text }) => link(place, text))) : null);
}

/** Counters and landmarks by their distance in places. @param {string} from @param {View} view @param {Map<string|null, Counter[]>} stacks */
export function nearby(from, view, stacks) {
  const start = view.places.get(from)?.cell;
  /** @type {Map<string, number>} */
  const far = new Map([[from, 0]]);
  const found = [];
  for (const place of far.keys()) {
    const away = far.get(place) || 0;
    const cell = view.places.get(place)?.cell;
    if (!cell) continue;
    const stack = stacks.get(place) || [];
    if (away > 1 && (stack.length || landmark(cell))) {
      const what = stack.length ? stack.map((one) => `${one.names.length > 1 ? `${one.names.length} ` : ""}${one.side ? `${view.label(null, one.side)} ` : ""}${one.label}`).join(", ") : (cell.marks || []).join(", ");
      found.push({ place, away, text: `${away} ${compass(cell.x - start.x, cell.y - start.y)}: ${what} at ${view.placeTitle(place)}` });
      if (found.length >= NEAR) break;
    }
    for (const other of cell.neighbours) if (!far.has(other)) far.set(other, away + 1);
  }
  return found;
}

/** @param {any} cell */
function landmark(cell) {
  return (cell.marks || []).some((/** @type {string} */ mark) => /city|town|capital|fort|objective|village|bridge/.test(mark)) || /village|town|city|building/i.test(cell.ground || "");
}

/** @param {number} dx @param {number} dy */
function compass(dx, dy) {
  const names = ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"];
  return names[Math.round((Math.atan2(dx, -dy) / Math.PI) * 4 + 8) % 8];
}
