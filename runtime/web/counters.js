// @ts-check
/** Counters on the map: symbols from the title's file, with what changes in play over them. */

import { s } from "./dom.js";

/** @typedef {import("./board.js").Board} Board */
/** @typedef {import("./view.js").Counter} Counter */

export const SIZE = 44;
/** How large counters lie in a hex or square. */
const LARGE = 52;
/** Symbols that are kept although nothing shows them. */
const MOST_SYMBOLS = 40;
/** Counters of a stack of which something is seen. */
const DEEP = 4;
const ANGLES = { n: 0, ne: 60, e: 90, se: 120, s: 180, sw: 240, w: 270, nw: 300 };
const SQUARE_ANGLES = { n: 0, ne: 45, e: 90, se: 135, s: 180, sw: 225, w: 270, nw: 315 };
const POINTY_ANGLES = { ne: 30, e: 90, se: 150, sw: 210, w: 270, nw: 330 };

/** The counters of a place, one over the other or fanned out. @param {Board} board @param {string} place @param {any} cell @param {Counter[]} stack @returns {SVGElement[]} */
export function pile(board, place, cell, stack) {
  const fanned = board.fanned === place && stack.length > 1;
  const shape = board.view.layout.spaces[board.view.places.get(place)?.space || ""]?.shape;
  const room = shape === "area" ? Math.max(26, Math.min(SIZE, cell.r * 1.4)) : LARGE;
  const size = fanned ? LARGE : stack.length > 2 && shape === "area" ? room * 0.8 : room;
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
    // Of a deep stack the lowest are not to be seen at all; of who lies below another, only the edge.
    if (!fanned && index < stack.length - DEEP && !board.ring(counter)) return;
    nodes.push(...(fanned || (index === stack.length - 1 && !board.coarse) ? [drawCounter(board, counter, x, y, size, fanned)] : covered(board, counter, x, y, size)));
  });
  if (stack.length > 1 && !fanned && !board.coarse) {
    const far = size / 2 + 2;
    nodes.push(s("g", { class: "badge", transform: `translate(${(cell.x + far).toFixed(1)} ${(cell.y + far - 4).toFixed(1)})` },
      s("circle", { r: 7 }), s("text", { y: 3.5 }, String(stack.reduce((sum, one) => sum + one.names.length, 0)))));
  }
  return nodes;
}

/** What an element says of the counter that it draws, and where. @param {Board} board @param {Counter} counter @param {number} x @param {number} y @param {number} size */
function drawn(board, counter, x, y, size) {
  return {
    class: `counter${board.ring(counter) === "lit-ring" ? " lit" : ""}`, "data-domain": counter.domain, "data-piece": counter.name,
    transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${(size / SIZE).toFixed(3)})`,
    color: board.view.colour(counter.side), fill: sideFill(board, counter.side),
  };
}

/** @param {Board} board @param {Counter} counter */
function face(board, counter) {
  return { href: `#${symbol(board, board.coarse > 1 ? "body" : counter.symbol)}`, width: SIZE, height: SIZE };
}

/** A counter that lies below another one: nothing of what is written on it can be read. @param {Board} board @param {Counter} counter @param {number} x @param {number} y @param {number} size @returns {SVGElement[]} */
function covered(board, counter, x, y, size) {
  const ring = board.ring(counter), about = drawn(board, counter, x, y, size);
  const around = ring ? [s("rect", { class: ring, x: -2, y: -2, width: SIZE + 4, height: SIZE + 4, rx: 6, transform: about.transform })] : [];
  return [s("use", { ...about, ...face(board, counter) }), ...around];
}

/** @param {Board} board @param {Counter} counter @param {number} x @param {number} y @param {number} size @param {boolean} fanned */
export function drawCounter(board, counter, x, y, size, fanned) {
  const ring = board.ring(counter);
  const group = s("g", { ...drawn(board, counter, x, y, size), "data-fanned": fanned || null }, s("use", face(board, counter)));
  if (ring) group.append(s("rect", { class: ring, x: -2, y: -2, width: SIZE + 4, height: SIZE + 4, rx: 6 }));
  const alike = board.view.layout.pieces[counter.domain].alike;
  const text = alike ? (counter.names.length > 1 ? `×${counter.names.length}` : "") : short(counter.name);
  if (text) group.append(s("text", { x: 3, y: 9.5, class: alike ? "number" : "name", ...fitted(text, 5.4, 27) }, text));
  const steps = board.view.layout.pieces[counter.domain].steps;
  if (steps && typeof counter.fields[steps] === "number")
    group.append(s("text", { x: 3, y: 24, class: "steps" }, String(counter.fields[steps])));
  if (counter.facing) {
    const turn = angle(board, counter);
    if (turn !== null) group.append(s("path", { d: "M0-10l5 10h-10z", class: "facing", transform: `translate(22 22) rotate(${turn}) translate(0 ${-edge(turn)})` }));
  }
  const states = Object.entries(counter.fields).filter(([field]) => !board.view.unshown.has(field)).filter(([field, value]) => value === true || (/^(status|hit|command|order|mode|state|posture)$/.test(field) && counter.marks.some((mark) => mark.startsWith(`${field} `))))
    .map(([field, value]) => (value === true ? field : board.view.value(counter.domain, field, typeof value === "object" ? value?.name : value)).replace(/_/g, " ")).slice(0, 2).join(", ");
  if (states) group.append(s("text", { x: SIZE / 2, y: SIZE + 7, class: "states", ...fitted(states, 4, SIZE + 6) }, states));
  return group;
}

/** A text that would be wider than its room is narrowed. @param {string} text @param {number} letter how wide a letter is, about @param {number} most @returns {Record<string, any>} */
function fitted(text, letter, most) {
  return text.length * letter > most ? { textLength: most, lengthAdjust: "spacingAndGlyphs" } : {};
}

/** How far the edge of a counter is from its middle in a direction. @param {number} turn */
function edge(turn) {
  const a = (turn * Math.PI) / 180;
  return Math.min(25, SIZE / 2 / Math.max(Math.abs(Math.sin(a)), Math.abs(Math.cos(a))));
}

/** @param {Board} board @param {Counter} counter @returns {number|null} */
function angle(board, counter) {
  return angles(board.view, counter.place)[counter.facing || ""] ?? null;
}

/** Directions by their names, in degrees from the top of the map. @param {import("./view.js").View} view @param {string|null} place @returns {Record<string, number>} */
export function angles(view, place) {
  const space = place && view.places.get(place)?.space;
  const entry = space ? view.layout.spaces[space] : null;
  return entry?.shape === "square" ? SQUARE_ANGLES : entry?.flat === false ? POINTY_ANGLES : ANGLES;
}

/** What tells a side apart without its colour. @param {Board} board @param {string|null} side */
function sideFill(board, side) {
  const id = `side-${board.view.sideNumber(side)}`;
  return board.symbols.getElementById(id) ? `url(#${symbol(board, id)})` : "none";
}

/** Puts a symbol into the page when it is first used. @param {Board} board @param {string} id @returns {string} */
function symbol(board, id) {
  if (!board.defs.querySelector(`[id="${CSS.escape(id)}"]`)) {
    const found = board.symbols.getElementById(id);
    if (!found) return id === "back" ? id : symbol(board, "back");
    board.defs.append(document.importNode(found, true));
    for (const part of found.querySelectorAll("use")) symbol(board, (part.getAttribute("href") || "").slice(1));
  }
  return id;
}

/** Symbols that nothing shows any more leave the page. @param {Board} board */
export function prune(board) {
  const own = board.defs.querySelectorAll(":scope > symbol");
  if (own.length <= MOST_SYMBOLS) return;
  const used = new Set([...document.querySelectorAll("use")].filter((use) => !use.closest("defs")).map((use) => use.getAttribute("href")));
  for (const one of own) if (one.id !== "body" && !used.has(`#${one.id}`)) one.remove();
}

/** A stack comes into sight again: so do its symbols. @param {Board} board @param {SVGElement} node */
export function restore(board, node) {
  for (const use of [node, ...node.querySelectorAll("use")]) if (use.tagName === "use") symbol(board, (use.getAttribute("href") || "").slice(1));
}

/** @param {string} name */
function short(name) {
  return name.length <= 8 ? name.replace(/_/g, " ") : name.replace(/^.*_(\d+)$/, "$1").slice(0, 6);
}
