// @ts-check
/** What lies beside the map, always in sight: tracks, what each side has, its hand of cards and counters off the map, bags. */

import { drawCounter } from "./counters.js";
import { empty, h, s, spaced, words } from "./dom.js";

/** @typedef {import("./view.js").Counter} Counter */
/** @typedef {import("./table.js").Table} Table */

/** Numbers of a side that are shown; the rest is in the tab State. */
const MOST_CHIPS = 8;
/** Counters of a hand that are shown. */
const MOST_HELD = 24;
/** Boxes of the longest track. */
const LONGEST = 40;

/** Draws the strip anew when it says something else. @param {Table} table */
export function drawTrays(table) {
  const box = document.getElementById("trays");
  const { view, board } = table;
  if (!box || !view || !board) return;
  const off = board.stacks.get(null) || [];
  const sign = JSON.stringify([view.cells.game, sideDomains(view).map((domain) => view.cells[domain]), view.cells.bags,
    off.map((one) => [one.domain, one.names, one.symbol, one.side, one.marks]), [...board.litPieces]]);
  if (box.dataset.sign === sign) return;
  box.dataset.sign = sign;
  const parts = [...gameTray(view), ...sideTrays(table, off)];
  box.hidden = !parts.length;
  box.replaceChildren(...parts);
}

/** @param {import("./view.js").View} view */
function sideDomains(view) {
  return Object.keys(view.cells).filter((domain) => ["side", "power"].includes(view.texts.types?.[domain]?.sort));
}

/** Turn and weather: tracks where a number goes up to another, names where the game has a state. @param {import("./view.js").View} view */
function gameTray(view) {
  const game = view.cells.game?.game || {};
  const parts = [];
  for (const [name, last] of Object.entries(game)) {
    const now = game[name.replace(/s$/, "")];
    if (name.endsWith("s") && typeof last === "number" && typeof now === "number" && last > 1) parts.push(track(words(name.replace(/s$/, "")), now, last));
  }
  const chips = Object.entries(game).filter(([name, value]) => !view.unshown.has(name) && typeof value === "string" && /^[A-Z]/.test(view.texts.game?.[name] || ""))
    .map(([name, value]) => chip(words(name), view.value("game", name, value)));
  const bags = Object.entries(view.cells.bags || {}).filter(([, bag]) => bag.size).map(([name, bag]) => chip(spaced(name), `${bag.size} in it`));
  if (parts.length || chips.length || bags.length) return [h("div", { class: "tray" }, ...parts, h("div", { class: "chips" }, ...chips, ...bags))];
  return [];
}

/** @param {string} name @param {number} now @param {number} last */
function track(name, now, last) {
  const boxes = last <= LONGEST ? Array.from({ length: last }, (_, n) => h("li", { class: n + 1 === now ? "now" : n + 1 < now ? "gone" : "" }, String(n + 1))) : [];
  return h("div", { class: "track", role: "img", "aria-label": `${name} ${now} of ${last}` }, h("b", {}, boxes.length ? name : `${name} ${now} of ${last}`), h("ol", {}, ...boxes));
}

/** @param {string} name @param {string} value */
function chip(name, value) {
  return h("span", { class: "chip" }, `${name} `, h("b", {}, value));
}

/** @param {Table} table @param {Counter[]} off */
function sideTrays(table, off) {
  const view = /** @type {import("./view.js").View} */ (table.view);
  /** @type {Map<string, {chips: HTMLElement[], held: Counter[]}>} */
  const sides = new Map();
  const of = (/** @type {string} */ name) => {
    const found = sides.get(name) || { chips: [], held: [] };
    sides.set(name, found);
    return found;
  };
  for (const domain of sideDomains(view))
    for (const [name, fields] of Object.entries(view.cells[domain] || {})) {
      if (name === "*") continue;
      const told = Object.entries(fields).filter(([field, value]) => !view.unshown.has(field) && !empty(value) && (typeof value === "number" || (typeof value === "string" && view.texts.types?.[domain]?.fields?.[field]?.of)));
      of(name).chips.push(...told.slice(0, MOST_CHIPS).map(([field, value]) => chip(words(field), view.value(domain, field, value))));
      if (told.length > MOST_CHIPS) of(name).chips.push(h("button", { type: "button", class: "chip", onclick: () => table.show("state") }, `${told.length - MOST_CHIPS} more`));
    }
  for (const counter of off) of(counter.side || "").held.push(counter);
  return [...sides].filter(([, { chips, held }]) => chips.length || held.length).map(([name, { chips, held }]) => {
    const title = h("h2", {}, name ? view.label(null, name) : "Off the map");
    const node = h("div", { class: "tray" }, title, h("div", { class: "chips" }, ...chips),
      held.length ? h("ul", { class: "hand-of", "aria-label": `${name ? view.label(null, name) : ""}: off the map` }, ...held.slice(0, MOST_HELD).map((counter) => h("li", {}, holding(table, counter))),
        held.length > MOST_HELD ? h("li", {}, h("button", { type: "button", class: "chip", onclick: () => table.show("state") }, `${held.length - MOST_HELD} more`)) : null) : null);
    title.style.background = view.colour(name || null);
    return node;
  });
}

/** A counter in the hand, to be clicked as those on the map. @param {Table} table @param {Counter} counter */
function holding(table, counter) {
  const board = /** @type {import("./board.js").Board} */ (table.board);
  const picture = s("svg", { viewBox: "-3 -3 50 56", width: 40, height: 45, "aria-hidden": "true" }, drawCounter(board, counter, 0, 0, 44, false));
  const many = counter.names.length > 1 ? `${counter.names.length} × ` : "";
  const name = `${many}${counter.label}${counter.marks.length ? ` (${counter.marks.join(", ")})` : ""}`;
  return h("button", { type: "button", class: "held", title: name, "aria-label": name, onclick: () => table.clicked(null, counter, { x: 40, y: 40 }) }, picture);
}
