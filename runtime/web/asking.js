// @ts-check
/** What a person asks about the question and the log: odds, advice, why, why not.  What takes long can be dropped. */

import { get } from "./api.js";
import { el, h, words } from "./dom.js";
import { reasonTree } from "./panels.js";
import { told } from "./telling.js";

export class Asking {
  /** @param {import("./table.js").Table} table */
  constructor(table) {
    this.table = table;
    /** @type {{what: string, question: string, seat: string, stop: AbortController}|null} what is being worked out */
    this.pending = null;
  }

  /** Where the replies stand, drawn with the question. @returns {HTMLElement} */
  box() {
    const { pending, table } = this;
    // Nobody waits for the odds of a question that is no longer asked.
    if (pending && (table.question?.id !== pending.question || table.seat !== pending.seat)) this.drop();
    return h("div", { id: "told", class: "told", "aria-live": "polite" }, ...(this.pending ? this.working() : []));
  }

  working() {
    return ["working it out ... ", h("button", { type: "button", id: "cancel", onclick: () => this.cancel() }, "Cancel")];
  }

  drop() {
    this.pending?.stop.abort();
    this.pending = null;
  }

  cancel() {
    const what = this.pending?.what;
    this.drop();
    el("told").replaceChildren(what ? `${words(what)}: cancelled` : "");
    el("question").focus();
  }

  /** @param {"odds"|"advice"} what */
  async ask(what) {
    const { table } = this;
    this.drop();
    const mine = this.pending = { what, question: table.question?.id ?? "", seat: table.seat, stop: new AbortController() };
    el("told").replaceChildren(...this.working());
    /** @type {Node|string} */
    let reply;
    try {
      reply = told(table, what, await get(`/api/g/${table.game}/${what}?seat=${encodeURIComponent(table.seat)}`, mine.stop.signal));
    } catch (problem) {
      reply = problem instanceof Error ? problem.message : String(problem);
    }
    // What was cancelled, or comes too late for its question, is not shown.
    if (this.pending !== mine) return;
    this.pending = null;
    if (table.question?.id === mine.question) el("told").replaceChildren(reply);
  }

  /** What comes into an answer, one by one: modifiers and tables with their sections. @param {string} name @param {HTMLElement} box */
  async preview(name, box) {
    const { table } = this, { view } = table;
    box.replaceChildren("...");
    try {
      const reply = await get(`/api/g/${table.game}/preview?seat=${encodeURIComponent(table.seat)}&answer=${encodeURIComponent(name)}`);
      if (!view) return;
      const parts = [];
      if (reply.answers.length > 1) parts.push(h("p", {}, `If it goes on with: ${reply.answers.slice(1).join(", ")}`));
      if (reply.reasons.length) parts.push(reasonTree(reply.reasons, view));
      else if (!reply.unsure) parts.push(h("p", {}, reply.rolled ? "Dice decide; nothing modifies them." : "No dice come into it."));
      if (reply.unsure) parts.push(h("p", {}, reply.reasons.length ? "What you do not know may change more." : "It depends on what you do not know."));
      box.replaceChildren(...parts);
    } catch (problem) {
      box.replaceChildren(problem instanceof Error ? problem.message : "");
    }
  }

  /** @param {string} what */
  async whyNot(what) {
    const { table } = this, { view } = table;
    const box = el(what === "*" ? "told" : "inspect");
    if (!view) return;
    try {
      const reply = await get(`/api/g/${table.game}/why-not?seat=${encodeURIComponent(table.seat)}&what=${encodeURIComponent(what)}`);
      if (what === "*") {
        const others = (reply.others || []).map((/** @type {any} */ one) => ({ text: one.label, cites: one.cites, children: one.reasons }));
        return void box.replaceChildren(others.length ? reasonTree(others, view) : "Everything is offered that there is.");
      }
      if (!reply.reasons?.length) return;
      const label = table.question?.label || "";
      box.append(h("div", { class: "why-not" }, h("h4", {}, `Why not ${view.places.has(what) ? view.placeTitle(what) : words(what)} for “${label}”?`), reasonTree(reply.reasons, view)));
    } catch (problem) {
      box.append(h("p", { class: "why-not" }, problem instanceof Error ? problem.message : ""));
    }
  }

  /** Opens or closes the reasons of a line of the log. @param {any} line @param {HTMLElement} node */
  async why(line, node) {
    const { table } = this;
    const button = node.querySelector("button");
    const open = node.querySelector(".reasons");
    if (open) {
      open.remove();
      button?.setAttribute("aria-expanded", "false");
      return;
    }
    const box = h("div", { class: "reasons" }, "...");
    node.append(box);
    button?.setAttribute("aria-expanded", "true");
    table.board?.tell(line.places || []);
    try {
      const reply = await get(`/api/g/${table.game}/why?seat=${encodeURIComponent(table.seat)}&line=${line.id}`);
      const there = h("button", { type: "button", class: "quote", onclick: () => void table.replay.lookAtLine(line.id) }, "Show the game then");
      const quote = h("button", { type: "button", class: "quote", onclick: () => { table.quoting = { id: line.id, text: line.text }; table.show("chat"); /** @type {HTMLElement|null} */ (document.querySelector(".say input"))?.focus(); } }, "Say something about it");
      if (table.view) box.replaceChildren(reply.reason ? reasonTree(reply.reason, table.view) : "so the game began", there, ...(table.seat ? [quote] : []));
    } catch (problem) {
      box.replaceChildren(problem instanceof Error ? problem.message : "");
    }
  }
}
