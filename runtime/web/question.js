// @ts-check
/** The question as a panel: what it is about, and all its choices as real buttons, whatever else the board offers. */

import { countingForm } from "./counting.js";
import { angles } from "./counters.js";
import { h, words } from "./dom.js";

/** @typedef {{name: string, label: string, place?: string, piece?: string, domain?: string, toward?: string}} Choice */
/** @typedef {{id: string, seat: string, name: string, label: string, cites: string[], kind: string, about: Record<string, string>, choices: Choice[], action?: string, numbers?: import("./counting.js").Numbers}} Question */

/** More choices than this are filtered by a text. */
const MANY = 12;
/** Printed values that are told of a kind. */
const PRINTED = 5;
/** How exactly a neighbour must lie in a direction: the cosine of what may be between. */
const NEARLY = 0.93;

/**
 * @param {Question} question
 * @param {import("./view.js").View} view
 * @param {(choice: Choice) => void} answer
 * @param {(choice: Choice|null) => void} hover
 * @returns {HTMLElement[]}
 */
export function questionPanel(question, view, answer, hover) {
  // What the question says itself is not said again; a single letter is a rule's own word and tells nobody anything.
  const about = Object.entries(question.about || {})
    // Of counters that are asked for by number none is spoken of.
    .filter(([, value]) => value && value !== "none" && !question.numbers?.groups.some((group) => group.pieces.includes(value)))
    .map(([key, value]) => ({ named: named(view, value), key: key.length > 1 && !named(view, value) ? words(key) : "", label: labelOf(view, value) }))
    .filter(({ label }, n, all) => !question.label.includes(label) && all.findIndex((one) => one.label === label) === n)
    // First whom it is about, then what has been said of it.
    .sort((a, b) => Number(b.named) - Number(a.named));
  const parts = [
    h("h2", { id: "asked" }, h("span", { class: "seat", "data-seat": question.seat }, view.label(null, question.seat)), ` ${question.label}`),
  ];
  const under = question.action && question.action !== question.label ? [h("span", { class: "chip under" }, question.action)] : [];
  if (about.length || under.length)
    parts.push(h("p", { class: "about" }, ...under, ...about.map(({ key, label }) => h("span", { class: "chip" }, key ? `${key} ` : "", h("b", {}, label)))));
  if (question.cites?.length) parts.push(citations(question.cites, view));
  if (question.numbers) return [...parts, countingForm(question.numbers, answer)];
  const numbers = question.choices.map((choice) => Number(choice.name));
  if (question.kind === "number" && question.choices.length > 2 && numbers.every(Number.isFinite)) parts.push(stepper(question, numbers, answer));
  parts.push(choiceList(question, view, answer, hover));
  return parts;
}

/** Whether it is a counter or a place. @param {import("./view.js").View} view @param {string} name */
function named(view, name) {
  return view.places.has(name) || Object.keys(view.layout.pieces).some((domain) => view.cells[domain]?.[name]?.label);
}

/** @param {import("./view.js").View} view @param {string} name */
function labelOf(view, name) {
  for (const domain of Object.keys(view.layout.pieces)) {
    const found = view.cells[domain]?.[name];
    if (found?.label) return found.label;
  }
  return view.places.has(name) ? view.placeTitle(name) : words(String(name));
}

/** Sections, each with its title. @param {string[]} cites @param {import("./view.js").View} view */
export function citations(cites, view) {
  return h("span", { class: "cites" }, ...cites.map((cite) => {
    const title = view.texts.sections?.[cite];
    return h("span", { class: "cite", title: title || null }, cite);
  }));
}

/** @param {Question} question @param {number[]} numbers @param {(choice: Choice) => void} answer */
function stepper(question, numbers, answer) {
  // From nothing, where that can be chosen.
  let at = Math.max(0, numbers.indexOf(0));
  const shown = /** @type {HTMLOutputElement} */ (h("output", { class: "stepped" }, question.choices[at].label));
  const move = (/** @type {number} */ by) => {
    at = Math.max(0, Math.min(numbers.length - 1, at + by));
    shown.textContent = question.choices[at].label;
  };
  return h("div", { class: "stepper", role: "group", "aria-label": "number" },
    h("button", { type: "button", onclick: () => move(-1), "aria-label": "less" }, "−"), shown,
    h("button", { type: "button", onclick: () => move(1), "aria-label": "more" }, "+"),
    h("button", { type: "button", class: "main", onclick: () => answer(question.choices[at]) }, "Take it"));
}

/** Of a kind of counter, what is printed on it: what it costs before it is bought. @param {import("./view.js").View} view @param {Choice} choice */
function printed(view, choice) {
  const kind = choice.domain && !choice.piece && !choice.place ? choice.domain : "";
  if (!Object.values(view.layout.pieces).some((piece) => piece.kind === kind)) return null;
  const told = Object.entries(view.texts.kinds?.[kind]?.[choice.name] || {}).filter(([, value]) => typeof value === "number" && value !== 0);
  return told.length ? h("small", {}, told.slice(0, PRINTED).map(([name, value]) => `${words(name)} ${value}`).join(", ")) : null;
}

/** @param {Question} question @param {import("./view.js").View} view @param {(choice: Choice) => void} answer @param {(choice: Choice|null) => void} hover */
function choiceList(question, view, answer, hover) {
  const short = (question.kind === "number" || question.choices.length > MANY) && question.choices.every(({ label }) => label.length < 9);
  const list = h("ul", { class: short ? "choices short" : "choices", "aria-labelledby": "asked" });
  const buttons = question.choices.map((choice, index) => {
    const place = choice.place && choice.piece ? ` (${view.placeTitle(choice.place)})` : "";
    const title = choice.place && !choice.piece && view.placeTitle(choice.place) !== choice.label ? ` ${view.placeTitle(choice.place)}` : "";
    const button = h("button", {
      type: "button", "data-choice": choice.name, onclick: () => answer(choice),
      onmouseenter: () => hover(choice), onmouseleave: () => hover(null), onfocus: () => hover(choice), onblur: () => hover(null),
    }, index < 9 ? h("kbd", {}, String(index + 1)) : null, `${choice.label}${title}${place}`, printed(view, choice));
    list.append(h("li", {}, button));
    return button;
  });
  if (question.choices.length <= MANY) return list;
  const search = h("input", {
    type: "search", class: "filter", placeholder: `find one of ${question.choices.length}`, "aria-label": "find a choice",
    oninput: (/** @type {InputEvent} */ event) => {
      const wanted = /** @type {HTMLInputElement} */ (event.target).value.toLowerCase();
      for (const button of buttons) /** @type {HTMLElement} */ (button.parentElement).hidden = !(button.textContent || "").toLowerCase().includes(wanted);
    },
  });
  return h("div", {}, search, list);
}

/** Which neighbour lies in the direction of each choice, where directions are asked for: it can be clicked as well.
 *  From the counter, or else the place, that the question is about. @param {Question} question @param {import("./view.js").View} view */
export function aim(question, view) {
  if (question.choices.some((choice) => choice.place || choice.piece)) return;
  const about = Object.values(question.about || {}), counters = view.counters();
  const from = about.map((name) => counters.find((one) => one.place && one.name === name)?.place).find(Boolean) || about.find((name) => view.places.has(name));
  const cell = from && view.places.get(from)?.cell;
  if (!from || !cell) return;
  const turns = angles(view, from);
  for (const choice of question.choices) {
    const turn = turns[choice.name];
    if (turn === undefined) continue;
    choice.toward = cell.neighbours.find((/** @type {string} */ name) => {
      const other = view.places.get(name)?.cell;
      const bearing = other ? (Math.atan2(other.x - cell.x, cell.y - other.y) * 180) / Math.PI : NaN;
      return Math.cos(((bearing - turn) * Math.PI) / 180) > NEARLY;
    });
  }
}

/**
 * What a click on a place or a counter can mean, of all choices.
 * @param {Question|null} question @param {string|null} place @param {import("./view.js").Counter|null} counter
 * @param {import("./view.js").Counter[]} stack counters that lie there
 * @returns {Choice[]}
 */
export function meant(question, place, counter, stack) {
  if (!question) return [];
  const own = counter ? question.choices.filter((choice) => choice.piece && choice.domain === counter.domain && counter.names.includes(choice.piece)) : [];
  // Equal counters are one choice: the first of them.
  if (own.length) return own.length === counter?.names.length || counter?.names.length !== 1 ? own.slice(0, 1) : own;
  const there = question.choices.filter((choice) => (choice.place ?? choice.toward) === place && place !== null);
  const bare = there.filter((choice) => !choice.piece);
  if (bare.length) return bare;
  /** @type {Set<unknown>} */
  const seen = new Set();
  return there.filter((choice) => {
    const group = stack.find((one) => choice.piece && one.names.includes(choice.piece)) || choice.name;
    return seen.has(group) ? false : seen.add(group);
  });
}
