// @ts-check
/** Who sits where, their clocks, and what can be done when somebody's time is up. */

import { send } from "./api.js";
import { announce, el, h, words } from "./dom.js";

/** @typedef {{total: number|null, move: number|null, spent: Record<string, number>, now: number, since?: number, asked?: string[]}} Clock */

/** Seconds in words: days and hours, or minutes and seconds. @param {number} seconds */
export function timeWords(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  if (whole >= 2 * 86400) return `${Math.floor(whole / 86400)} d ${Math.floor((whole % 86400) / 3600)} h`;
  if (whole >= 3600) return `${Math.floor(whole / 3600)}:${two(Math.floor((whole % 3600) / 60))}:${two(whole % 60)}`;
  return `${Math.floor(whole / 60)}:${two(whole % 60)}`;
}

export class People {
  /** @param {import("./table.js").Table} table */
  constructor(table) {
    this.table = table;
    /** how far this machine's clock is ahead of the server's, in seconds */
    this.ahead = 0;
    /** @type {number|undefined} */
    this.timer = undefined;
    /** @type {string} whose flag has fallen, as it was told last */
    this.late = "";
  }

  stop() {
    clearInterval(this.timer);
  }

  /** @returns {Clock|null} */
  get clock() {
    return this.table.about.clock || null;
  }

  /** A clock was just told. */
  heard() {
    if (this.clock) this.ahead = Date.now() / 1000 - this.clock.now;
    if (this.clock && this.timer === undefined) this.timer = setInterval(() => this.tick(), 500);
  }

  /** What a seat has left, in all and for this answer; null: no limit, or not known. @param {string} seat */
  left(seat) {
    const { clock } = this;
    if (!clock || !(seat in clock.spent || clock.asked?.includes(seat))) return { total: null, move: null };
    const thinks = clock.since !== undefined && clock.asked?.includes(seat) ? Math.max(0, Date.now() / 1000 - this.ahead - clock.since) : 0;
    return {
      total: clock.total === null ? null : clock.total - (clock.spent[seat] || 0) - thinks,
      move: clock.move === null ? null : clock.move - thinks,
    };
  }

  /** @param {string} seat */
  clockWords(seat) {
    const { total, move } = this.left(seat);
    const parts = [];
    if (total !== null) parts.push(total > 0 ? timeWords(total) : "time is up");
    if (move !== null && (total === null || total > 0) && this.clock?.asked?.includes(seat)) parts.push(move > 0 ? `${timeWords(move)} for this answer` : "time for this answer is up");
    return parts.join(", ");
  }

  /** Somebody else who is asked and has no time left. @returns {string} */
  flagged() {
    const { clock, table } = this;
    if (!clock || table.about.state === "over" || table.last.status === "over") return "";
    return (clock.asked || []).find((seat) => {
      const { total, move } = this.left(seat);
      return !(table.about.me || []).includes(seat) && ((total !== null && total < 0) || (move !== null && move < 0));
    }) || "";
  }

  tick() {
    for (const node of document.querySelectorAll("#people [data-clock]")) {
      const seat = /** @type {HTMLElement} */ (node).dataset.clock || "";
      const text = this.clockWords(seat);
      if (node.textContent !== text) node.textContent = text;
      node.classList.toggle("runs", Boolean(this.clock?.since !== undefined && this.clock?.asked?.includes(seat)));
    }
    const late = this.table.seat ? this.flagged() : "";
    if (late !== this.late) {
      this.late = late;
      this.drawLate();
    }
  }

  drawLate() {
    const box = document.getElementById("late");
    const { late, table } = this;
    if (!box) return;
    if (!late) return void box.replaceChildren();
    const name = table.view?.label(null, late) || late;
    const side = (/** @type {string} */ seat) => (table.about.seats || []).find((/** @type {any} */ one) => one.seat === seat)?.side;
    box.replaceChildren(h("h2", {}, `The time of ${name} is up`), h("div", { class: "deal" },
      side(late) !== side(table.seat) ? h("button", { type: "button", class: "main", onclick: () => this.claim("win") }, "Claim the game") : null,
      h("button", { type: "button", onclick: () => this.claim("bot") }, "Let a bot take the seat")));
    announce(`The time of ${name} is up. You may claim the game, or let a bot take the seat.`);
  }

  /** @param {"win"|"bot"} what */
  async claim(what) {
    const { table } = this;
    try {
      table.problem = "";
      await send(`/api/g/${table.game}/claim`, { seat: table.seat, what });
    } catch (problem) {
      table.complain(problem);
    }
  }

  draw() {
    const { table } = this, { about, view } = table;
    const links = Object.entries(about.invitations || {});
    el("people").replaceChildren(h("h3", {}, "Seats"), h("ul", {}, ...(about.seats || []).filter((/** @type {any} */ one) => !one.idle).map((/** @type {any} */ one) => {
      const mine = (about.me || []).includes(one.seat);
      const who = one.kind === "bot" ? `bot ${one.bot || one.name || ""}` : one.kind === "open" ? "open" : one.name || (mine ? "you" : "taken");
      const node = h("li", {}, h("span", { class: "seat" }, view?.label(null, one.seat) || one.seat), `: ${who}`,
        this.clock && one.seat in this.clock.spent ? h("span", { class: "clock", "data-clock": one.seat, role: "timer", "aria-label": `time of ${view?.label(null, one.seat)}` }, this.clockWords(one.seat)) : null,
        mine && (about.seats || []).filter((/** @type {any} */ other) => !other.idle && about.me.includes(other.seat)).length > 1 ? h("button", { type: "button", onclick: () => table.sit(one.seat) }, "look") : null);
      node.style.borderLeftColor = view?.colour(one.seat) || "";
      return node;
    })), ...links.map(([seat, link]) => h("p", { class: "invite" }, `Invite ${words(seat)}: `, h("input", { readonly: true, "aria-label": `invitation for ${words(seat)}`, value: new URL(String(link), location.href).href, onfocus: (/** @type {Event} */ event) => /** @type {HTMLInputElement} */ (event.target).select() }))));
    if (this.clock) this.tick();
  }
}
