// @ts-check
/** Rules that are being written (`--watch`): mistakes with their excerpts, and the game that goes on under the new rules. */

import { announce, h } from "./dom.js";

/** @typedef {{ok: boolean, title: string, diagnostics: any[], text: string, game?: string, kept?: string}} News */

const KEPT = /** @type {Record<string, string>} */ ({
  position: "the position was kept",
  answers: "the answers that are still legal were given again",
  start: "the game begins anew",
});

/** Shows what was told of the rules. @param {News} news @param {() => void} close @returns {HTMLElement[]} */
export function rulesPanel(news, close) {
  const count = news.diagnostics?.length || 0;
  return [
    h("button", { type: "button", class: "close", "aria-label": "close", onclick: close }, "×"),
    h("h2", {}, news.ok ? "The rules were read again" : "The rules have mistakes"),
    h("p", {}, news.ok ? (count ? `${count} ${count === 1 ? "remark" : "remarks"}` : "") : "The game goes on under the rules as they were."),
    h("pre", { class: "excerpts", tabindex: 0, role: "region", "aria-label": "diagnostics" }, news.text),
  ];
}

/** Draws or clears the panel, and goes on with the successor. @param {News} news @param {(game: string) => void} follow */
export function tellRules(news, follow) {
  const box = document.getElementById("rules");
  if (news.game) {
    announce(`The rules were read again: ${KEPT[news.kept || ""] || "the game goes on"}.`);
    return follow(news.game);
  }
  if (!box) return;
  const text = (news.text || "").trim();
  box.replaceChildren(...(news.ok && !text ? [] : rulesPanel({ ...news, text }, () => box.replaceChildren())));
  if (!news.ok) announce(`The rules have mistakes: ${text.split("\n")[0]}`);
}
