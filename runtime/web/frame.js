// @ts-check
/** The parts of a game's page, and what stands in its panels: the question, what was clicked, log, state, map in words, chat. */

import { el, h } from "./dom.js";
import { drawOffer, moreMenu, sayTo } from "./more.js";
import { counterButtons, logItems, statePanel } from "./panels.js";
import { questionPanel } from "./question.js";
import { dice, outcome, waiting } from "./telling.js";
import { wordsPanel } from "./words.js";

/** @typedef {import("./table.js").Table} Table */
/** @typedef {import("./view.js").View} View */

export const TABS = ["log", "state", "words", "chat"];

/** @param {Table} table */
export function frame(table) {
  const tabs = h("div", { class: "tabs", role: "tablist" }, ...TABS.map((name) => h("button", {
    type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "panel", "aria-selected": String(name === table.tab), "aria-label": name === "words" ? "Map in words" : null, onclick: () => table.show(name),
  }, { log: "Log", state: "State", words: "In words", chat: "Chat" }[name] || name)));
  const pressed = (/** @type {HTMLElement} */ button, /** @type {boolean} */ on) => button.setAttribute("aria-pressed", String(on));
  table.main.className = "table";
  table.main.replaceChildren(
    h("section", { class: "board", "aria-label": "board" },
      h("div", { id: "board", class: "pane" },
        h("div", { class: "tools", role: "toolbar", "aria-label": "map" },
          tool("+", "zoom in", () => table.board?.zoom(1.3)), tool("−", "zoom out", () => table.board?.zoom(1 / 1.3)), tool("Fit", "show all", () => table.board?.fit()),
          tool("Peek", "hide or show the counters", (button) => pressed(button, el("board").classList.toggle("peek"))),
          tool("Beside", "hide or show what lies beside the map", (button) => pressed(button, el("trays").classList.toggle("folded"))),
          table.overlays.tool())),
      h("section", { id: "trays", class: "trays", "aria-label": "beside the map", tabindex: 0, hidden: true }),
      h("form", { id: "replay", class: "replay", onsubmit: (/** @type {Event} */ event) => event.preventDefault() })),
    h("aside", { class: "side" },
      h("section", { id: "rules", class: "deals", "aria-label": "rules" }), h("section", { id: "editing", class: "deals", "aria-label": "change the position" }),
      h("section", { id: "deals", class: "deals", "aria-label": "proposal" }), h("section", { id: "late", class: "deals", "aria-label": "time" }),
      h("section", { id: "question", class: "question", "aria-label": "question", tabindex: -1 }),
      h("section", { id: "inspect", class: "inspect", "aria-label": "what was clicked", "aria-live": "polite" }),
      tabs, h("section", { id: "panel", class: "panel", role: "tabpanel", tabindex: 0, "aria-labelledby": "tab-log" }),
      h("section", { id: "people", class: "people", "aria-label": "seats" })));
}

/** @param {string} text @param {string} title @param {(button: HTMLElement) => void} act */
function tool(text, title, act) {
  const button = h("button", { type: "button", title, "aria-label": /\w/.test(text) ? `${text}: ${title}` : title, onclick: () => act(button) }, text);
  return button;
}

/** @param {Table} table */
export function drawQuestion(table) {
  const box = el("question"), view = /** @type {View} */ (table.view);
  const focused = box.contains(document.activeElement);
  const parts = [...drawOffer(table)];
  if (table.past !== null) parts.push(h("p", { class: "notice" }, `The game as it was at ${table.past}. Nothing can be done here.`));
  if (table.problem) parts.push(h("p", { class: "problem", role: "alert" }, table.problem));
  if (table.last.dice?.length) parts.push(dice(table.last.dice));
  if (table.last.status === "over") parts.push(h("h2", {}, outcome(table.last.outcome, view)));
  else if (table.question && view) parts.push(...questionPanel(table.question, view, (choice) => void table.answer([choice.name]), (choice) => table.hover(choice)));
  else parts.push(waiting(table.last.waiting, view, table.about.seats));
  const over = table.last.status === "over";
  parts.push(h("div", { class: "acts" },
    act("Undo", "take back", () => void table.undo(), !table.seat || table.last.status === undefined || table.past !== null || !table.stream?.n || table.about.undo_policy === "none"),
    over ? "" : act("Odds", "what can come of it", () => void table.asking.ask("odds"), !table.question),
    table.question?.kind === "action" ? act("Why not?", "what is not offered now, and why", () => void table.asking.whyNot("*"), false) : "",
    over ? "" : act("Advice", "what a bot would do", () => void table.asking.ask("advice"), !table.question),
    moreMenu(table)), table.asking.box());
  box.replaceChildren(...parts);
  if (focused) /** @type {HTMLElement|null} */ (box.querySelector(".choices button") || box)?.focus();
  if (table.question && table.question.id !== table.asked) table.sayQuestion();
  table.asked = table.question?.id || "";
}

/** @param {string} text @param {string} title @param {() => void} work @param {boolean} off */
function act(text, title, work, off) {
  return h("button", { type: "button", title, onclick: work, disabled: off }, text);
}

/** @param {Table} table */
export function drawInspect(table) {
  const box = el("inspect"), { board, view, selected } = table;
  if (table.pointing.pick) return void box.replaceChildren(...table.pointing.panel());
  if (!selected || !view || !board) return void box.replaceChildren();
  const stack = board.stacks.get(selected) || [];
  const lit = (/** @type {any} */ counter) => counter.names.some((/** @type {string} */ name) => board.litPieces.has(`${counter.domain}/${name}`));
  box.replaceChildren(
    h("button", { type: "button", class: "close", "aria-label": "close", onclick: () => table.select(null) }, "×"),
    h("h3", {}, view.placeTitle(selected)),
    h("p", {}, view.describe(selected, [])),
    stack.length ? counterButtons(stack, view, (counter) => table.clicked(counter.place, counter, board.screen(selected)), lit) : h("p", {}, "no counters"));
}

/** @param {Table} table */
export function drawPanel(table) {
  const panel = el("panel"), { board, view } = table;
  if (!view || !board) return;
  if (table.tab === "log") {
    if (panel.dataset.tab !== "log") table.atEnd = true;
    let list = panel.querySelector("ol.log");
    if (!list || table.listed < 0 || table.listed > table.log.length) {
      list = h("ol", { class: "log", "aria-label": "log" });
      panel.replaceChildren(list);
      table.listed = Math.max(0, table.log.length - 400);
    }
    const fresh = table.log.slice(table.listed);
    table.listed = table.log.length;
    list.append(...logItems(fresh, view, (line, node) => void table.asking.why(line, node), (places) => board.tell(places), list.childElementCount ? table.log[table.log.length - fresh.length - 1] : undefined));
    if (table.atEnd && fresh.length) panel.scrollTop = panel.scrollHeight;
  } else if (table.tab === "state") panel.replaceChildren(...statePanel(view, board.stacks, (counter) => table.inspect(counter)));
  else if (table.tab === "words") {
    const nodes = wordsPanel(view, board.stacks, (place) => table.go(place), board.litPlaces, table.overlays.told());
    panel.replaceChildren(...nodes.filter((node) => node !== null));
  } else drawChat(table);
  panel.dataset.tab = table.tab;
}

/** @param {Table} table */
export function drawChat(table) {
  if (table.tab !== "chat") return;
  const panel = el("panel");
  const draft = /** @type {HTMLInputElement|null} */ (panel.querySelector("input[name=text]"))?.value || "";
  const input = /** @type {HTMLInputElement} */ (h("input", { name: "text", maxlength: 500, "aria-label": "message", autocomplete: "off", value: draft }));
  const say = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const text = input.value.trim();
    if (!text) return;
    try {
      await sayTo(table, text);
      input.value = "";
      drawChat(table);
    } catch (problem) {
      table.complain(problem);
    }
  };
  const quoted = table.quoting ? h("p", { class: "quoting" }, "About: ", h("q", {}, table.quoting.text), " ", h("button", { type: "button", class: "plain", "aria-label": "no quote", onclick: () => { table.quoting = null; drawChat(table); } }, "×")) : null;
  const found = table.chat.map((one) => h("li", {}, h("b", {}, `${one.name || one.seat || ""}: `), one.quote ? h("q", {}, one.quote.text || String(one.quote)) : null, one.text));
  panel.replaceChildren(found.length ? h("ol", { class: "chat", "aria-live": "polite" }, ...found) : h("p", { class: "hint" }, "Nothing has been said yet."),
    ...(quoted ? [quoted] : []), h("form", { class: "say", onsubmit: say }, input, h("button", {}, "Say")));
}
