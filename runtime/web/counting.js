// @ts-check
/** A choice by number: a field for how many of each kind, their sum, and a button that answers for all at once. */

import { h } from "./dom.js";

/** @typedef {{name: string, label: string, least: number, most: number, pieces: string[], cost: number|null}} Group */
/** @typedef {{groups: Group[], fewest: number, most: number, budget: number|null}} Numbers */

/** A counter that is clicked is one more of its kind; with all of them, none again.  False if it is of no kind here.
 *  @param {Numbers} numbers @param {string[]} names */
export function countOne(numbers, names) {
  const n = numbers.groups.findIndex((group) => group.pieces.some((piece) => names.includes(piece)));
  const field = /** @type {HTMLInputElement|null} */ (document.getElementById(`count-${n}`));
  if (!field) return false;
  field.value = String(Number(field.value) < numbers.groups[n].most ? Number(field.value) + 1 : numbers.groups[n].least);
  field.dispatchEvent(new Event("input"));
  return true;
}

/**
 * @param {Numbers} numbers
 * @param {(choice: {name: string, label: string}) => void} answer
 * @returns {HTMLElement}
 */
export function countingForm(numbers, answer) {
  const { groups, fewest, most, budget } = numbers;
  const total = h("output", { class: "stepped", "aria-live": "polite" });
  const take = /** @type {HTMLButtonElement} */ (h("button", { type: "submit", class: "main" }, "Take these"));
  const fields = groups.map((group, n) => /** @type {HTMLInputElement} */ (h("input", {
    id: `count-${n}`, type: "number", inputmode: "numeric", min: String(group.least), max: String(group.most), value: String(group.least), oninput: () => sum(),
  })));
  const counts = () => fields.map((field) => Math.max(0, Math.trunc(Number(field.value)) || 0));
  const sum = () => {
    const now = counts();
    const all = now.reduce((a, b) => a + b, 0);
    const cost = now.reduce((a, b, n) => a + b * (groups[n].cost ?? 0), 0);
    const range = fewest === most ? `${most}` : `${fewest} to ${most}`;
    total.textContent = budget === null ? `${all} of ${range}` : `${cost} of ${budget}`;
    // What the rules say beyond sums is seen when it is sent.
    take.disabled = all < fewest || all > most || (budget !== null && cost > budget) || fields.some((field) => !field.checkValidity());
  };
  const form = h("form", { class: "counting", "aria-labelledby": "asked", onsubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    const parts = counts().map((count, n) => (count ? `${count} ${groups[n].name}` : "")).filter(Boolean);
    const label = parts.join(", ") || "none";
    // Of one kind alone it would be the answer for this kind, after which the next is asked for.
    const other = parts.length === 1 && groups.find((group) => !label.endsWith(` ${group.name}`));
    answer({ name: other ? `${label}, 0 ${other.name}` : parts.length === 1 ? label.replace(" ", " of ") : label, label });
  } },
    ...groups.map((group, n) => h("p", {},
      fields[n], " ",
      h("label", { for: `count-${n}` }, group.label, h("span", { class: "note" }, ` ${group.least} to ${group.most}${group.cost === null ? "" : `, ${group.cost} each`}`)))),
    h("p", {}, total, " ", take));
  sum();
  return form;
}
