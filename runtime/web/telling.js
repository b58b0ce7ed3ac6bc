// @ts-check
/** Short things that the table tells: the connection, dice, how it ended, who is waited for, odds and advice. */

import { Refused } from "./api.js";
import { el, h } from "./dom.js";
import { oddsTable, plain } from "./panels.js";

/** @typedef {import("./view.js").View} View */

export function closeChooser() {
  document.getElementById("chooser")?.remove();
}

/** @param {string} state */
export function connection(state) {
  const node = el("connection");
  node.textContent = state;
  node.dataset.state = state;
}

/** @param {string} url @returns {Promise<Document>} */
export async function svg(url) {
  const reply = await fetch(url, { credentials: "same-origin" });
  if (!reply.ok) throw new Refused(reply.status, { message: `the drawing ${url} cannot be had` });
  return new DOMParser().parseFromString(await reply.text(), "image/svg+xml");
}

/** @param {number[][]} rolls */
export function dice(rolls) {
  return h("p", { class: "dice", "aria-label": `dice: ${rolls.map((roll) => roll.join(" and ")).join("; ")}` },
    ...rolls.slice(-8).map((roll) => h("span", { class: "roll" }, ...roll.map((pips) => h("span", { class: "die" }, String(pips))))));
}

/** @param {any} result @param {View} view */
export function outcome(result, view) {
  if (!result) return "The game is over.";
  const winner = result.winner ?? result;
  const how = result.how && result.how !== "rules" ? ` (${result.how})` : "";
  return winner && typeof winner === "string" ? `The game is over: ${view.label(null, winner)} wins${how}.` : `The game is a draw${how}.`;
}

/** Who is waited for; of a bot, that it thinks. @param {string[]|undefined} seats @param {View} view @param {any[]} [at] who sits where */
export function waiting(seats, view, at = []) {
  if (!seats?.length) return h("h2", {}, "Waiting");
  const bots = seats.filter((seat) => at.some((one) => one.seat === seat && one.kind === "bot"));
  const names = seats.map((seat) => view.label(null, seat)).join(" and ");
  if (bots.length < seats.length) return h("h2", {}, "Waiting for ", h("span", { class: "seat" }, names));
  return h("h2", {}, h("span", { class: "seat" }, names), " is thinking ", h("span", { class: "thinks", "aria-hidden": "true" }));
}

/** Odds and advice. @param {import("./table.js").Table} table @param {string} what @param {any} reply @returns {Node} */
export function told(table, what, reply) {
  if (what === "advice" && (reply?.label || reply?.answer || reply?.name)) {
    const more = reply.reason || reply.text;
    return h("p", {}, `The bot would take: ${reply.label || reply.answer || reply.name}`, more ? `. ${more}` : "");
  }
  return what === "odds" ? oddsTable(reply?.choices || [], (name, box) => void table.asking.preview(name, box)) : plain(reply);
}
