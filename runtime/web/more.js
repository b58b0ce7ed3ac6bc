// @ts-check
/** What is seldom needed: notes, the link for watchers, files of the game, who gives up. */

import { get, send } from "./api.js";
import { announce, dialog, h } from "./dom.js";

/** @param {import("./table.js").Table} table @returns {HTMLElement} */
export function moreMenu(table) {
  const { about } = table;
  const over = table.last.status === "over";
  const live = !over && Boolean(table.seat);
  const item = (/** @type {string} */ text, /** @type {() => void} */ act, /** @type {string} */ title) => h("li", {}, h("button", { type: "button", title, onclick: () => { closeMore(); act(); } }, text));
  const link = (/** @type {string} */ text, /** @type {string} */ path, /** @type {string} */ file) => h("li", {}, h("a", { href: path, download: file, onclick: closeMore }, text));
  const file = `${about.title}-${about.scenario}`;
  return h("details", { id: "more", class: "more" }, h("summary", { title: "notes, files, ending" }, "More"),
    h("ul", {},
      item("Notes", () => void notes(table), "what only you read"),
      about.watch ? item("Link for watchers", () => watchers(table), "who has it may look on") : null,
      about.sees_all || over ? link("Save file", `/api/g/${table.game}/save`, `${file}.save`) : null,
      over ? link("The game as one page", `/api/g/${table.game}/export.html`, `${file}.html`) : null,
      live && !unchangeable(table) ? item("Change the position", () => table.editing.start(), "by hand, if all agree") : null,
      live ? item("Offer a draw", () => void table.end("draw"), "or agree to one") : null,
      live ? item("Give up", () => void table.end("resign"), "the game is lost") : null));
}

/** Whether the server would refuse any change by hand now. @param {import("./table.js").Table} table */
function unchangeable(table) {
  return table.past !== null || Boolean(table.question?.secret) || !table.editing.possible();
}

function closeMore() {
  document.getElementById("more")?.removeAttribute("open");
}

/** @param {import("./table.js").Table} table */
async function notes(table) {
  const { text } = await get(`/api/g/${table.game}/notes`);
  const area = /** @type {HTMLTextAreaElement} */ (h("textarea", { rows: 12, cols: 48, maxlength: 10000, "aria-label": "notes" }));
  area.value = text;
  area.addEventListener("change", () => void send(`/api/g/${table.game}/notes`, { text: area.value }).then(() => announce("kept")).catch((problem) => table.complain(problem)));
  dialog("Notes that only you read", area);
}

/** @param {import("./table.js").Table} table */
function watchers(table) {
  const input = /** @type {HTMLInputElement} */ (h("input", { readonly: true, "aria-label": "link for watchers", size: 48 }));
  input.value = new URL(String(table.about.watch), location.href).href;
  input.addEventListener("focus", () => input.select());
  dialog("Who opens this may look on", input);
}

/** Sends what was written in the chat, with the line of the log that it is about. @param {import("./table.js").Table} table @param {string} text */
export async function sayTo(table, text) {
  await send(`/api/g/${table.game}/chat`, { text, seat: table.seat || undefined, ...(table.quoting ? { line: table.quoting.id } : {}) });
  table.quoting = null;
}

/** Offers that wait for an answer of mine. @param {import("./table.js").Table} table @returns {HTMLElement[]} */
export function drawOffer(table) {
  const offers = /** @type {string[]} */ (table.about.offers || []);
  const mine = /** @type {string[]} */ (table.about.me || []);
  if (!offers.length || !mine.length || table.last.status === "over") return [];
  const label = offers.map((seat) => table.view?.label(null, seat)).join(" and ");
  if (mine.every((seat) => offers.includes(seat))) return [h("p", { class: "notice" }, "You offer a draw.")];
  return [h("p", { class: "notice" }, `${label} offers a draw. `, h("button", { type: "button", onclick: () => void send(`/api/g/${table.game}/draw`, { seat: table.seat }).catch((problem) => table.complain(problem)) }, "Agree"), " To play on declines it.")];
}

