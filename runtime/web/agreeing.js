// @ts-check
/** What the persons at a table decide together: taking back beyond what is fair, changes of the position by hand. */

import { Refused, send } from "./api.js";
import { announce, el, h } from "./dom.js";

/** @typedef {{id: string, kind: "undo"|"edit", seat: string, agreed: string[], changes?: string[], keep?: Record<string, number>}} Proposal */

/** Lines of the log that are shown of what would be taken back. */
const LINES = 4;

export class Agreeing {
  /** @param {import("./table.js").Table} table */
  constructor(table) {
    this.table = table;
    /** @type {string} why a plain undo is refused; the others can be asked instead */
    this.offered = "";
    /** @type {number[]} numbers of the stream at which this seat was asked, as far as the page was there */
    this.asked = [];
    /** @type {string} the proposal that was told of last */
    this.told = "";
    this.sending = false;
  }

  /** @returns {Proposal|null} */
  get proposal() {
    return this.table.about.proposal || null;
  }

  /** Remembers where this seat was asked. @param {number} n @param {any} message */
  note(n, message) {
    // After an undo the numbers before it may be off the line; only what comes now is sure.
    if (typeof message.keep === "number") this.asked = [];
    if (message.question && this.asked.at(-1) !== n) this.asked.push(n);
  }

  /** Another seat looks, or the whole came anew. */
  forget() {
    this.asked = [];
  }

  /** Plain undo is not to be had: asks whether to ask the others. @param {string} why */
  offer(why) {
    this.offered = why;
    this.draw();
    document.getElementById("ask-others")?.focus();
  }

  /** @param {number} [to] a number of the seat's stream */
  async takeBack(to) {
    const now = this.table.stream?.n ?? 0;
    const last = this.asked.filter((n) => n < now).at(-1);
    const wanted = to ?? last;
    this.offered = "";
    await this.send("propose", { kind: "undo", ...(wanted === undefined ? {} : { to: wanted }) });
  }

  /** @param {any[]} changes @returns {Promise<boolean>} whether they were proposed */
  change(changes) {
    return this.send("propose", { kind: "edit", changes });
  }

  /** @param {boolean} agree */
  async consent(agree) {
    if (this.proposal) await this.send("consent", { proposal: this.proposal.id, agree });
  }

  /** @param {string} what @param {any} body @returns {Promise<boolean>} */
  async send(what, body) {
    const { table } = this;
    if (this.sending) return false;
    this.sending = true;
    try {
      table.problem = "";
      await send(`/api/g/${table.game}/${what}`, { seat: table.seat, ...body });
      return true;
    } catch (problem) {
      table.complain(problem);
      return false;
    } finally {
      this.sending = false;
      this.draw();
    }
  }

  draw() {
    const box = document.getElementById("deals");
    const { table, proposal } = this;
    if (!box || !table.view) return;
    if (proposal) this.offered = "";
    // Drawn anew only when it says something else: no button moves under a click.
    const sign = JSON.stringify([proposal, this.offered, table.seat, table.about.me, table.log.length]);
    if (box.dataset.sign === sign) return;
    box.dataset.sign = sign;
    const focused = box.contains(document.activeElement);
    box.replaceChildren(...(proposal ? this.proposed(proposal) : this.offered ? this.offering() : []));
    if (focused) (box.querySelector("button") || el("question")).focus();
    if (proposal && proposal.id !== this.told) announce(`${this.title(proposal)}: ${box.querySelector(".deal-what")?.textContent || ""}`);
    else if (!proposal && this.told) announce("The proposal is settled.");
    this.told = proposal?.id || "";
  }

  /** @param {Proposal} proposal */
  title(proposal) {
    const mine = (this.table.about.me || []).includes(proposal.seat);
    return `${mine ? "You propose" : `${this.table.view?.label(null, proposal.seat)} proposes`} to ${proposal.kind === "undo" ? "take back" : "change the position"}`;
  }

  /** @param {Proposal} proposal @returns {HTMLElement[]} */
  proposed(proposal) {
    const { table } = this;
    const me = /** @type {string[]} */ (table.about.me || []);
    const mine = me.includes(proposal.seat);
    const agreed = me.length > 0 && me.every((seat) => proposal.agreed.includes(seat));
    const missing = (table.about.seats || []).filter((/** @type {any} */ one) => one.kind !== "bot" && !proposal.agreed.includes(one.seat))
      .map((/** @type {any} */ one) => `${table.view?.label(null, one.seat)}${one.name ? ` (${one.name})` : ""}`);
    const button = (/** @type {string} */ text, /** @type {boolean} */ agree, /** @type {string} */ kind = "") => h("button", { type: "button", class: kind, onclick: () => this.consent(agree) }, text);
    return [
      h("h2", {}, this.title(proposal)),
      ...this.what(proposal),
      missing.length && (mine || agreed || !me.length) ? h("p", {}, `Not yet agreed: ${missing.join(", ")}`) : h("span"),
      h("div", { class: "deal" }, ...(!table.seat || !me.length ? [] : mine ? [button("Withdraw", false)] : agreed ? [button("Decline after all", false)] : [button("Agree", true, "main"), button("Decline", false)])),
    ];
  }

  /** What would come of it. @param {Proposal} proposal @returns {HTMLElement[]} */
  what(proposal) {
    if (proposal.kind === "edit") return [h("ul", { class: "deal-what" }, ...(proposal.changes || []).map((text) => h("li", {}, text)))];
    const keep = proposal.keep?.[this.table.seat] ?? Object.values(proposal.keep || {})[0];
    const gone = keep === undefined || this.table.past !== null ? [] : this.table.log.slice(keep);
    if (!gone.length) return [h("p", { class: "deal-what" }, "Nothing of your log would go.")];
    return [h("p", { class: "deal-what" }, `${gone.length} ${gone.length === 1 ? "line" : "lines"} of the log would go:`),
      h("ul", { class: "gone" }, ...gone.slice(0, LINES).map((line) => h("li", {}, line.text)), gone.length > LINES ? h("li", {}, `and ${gone.length - LINES} more`) : null)];
  }

  /** @returns {HTMLElement[]} */
  offering() {
    return [
      h("h2", {}, "Take back?"),
      h("p", {}, this.offered),
      h("div", { class: "deal" },
        h("button", { type: "button", class: "main", id: "ask-others", onclick: () => this.takeBack() }, "Ask the others"),
        h("button", { type: "button", onclick: () => { this.offered = ""; this.draw(); } }, "No")),
    ];
  }

  /** Whether a refusal of an undo can be answered by asking the others. @param {unknown} problem */
  answers(problem) {
    return problem instanceof Refused && problem.code === "undo" && this.table.about.undo_policy !== "none";
  }
}
