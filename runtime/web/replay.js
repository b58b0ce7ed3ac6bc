// @ts-check
/** Any earlier point of the game: looking at it, playing on from it elsewhere, proposing to go back to it. */

import { get, post } from "./api.js";
import { el, h } from "./dom.js";

export class Replay {
  /** @param {import("./table.js").Table} table */
  constructor(table) {
    this.table = table;
  }

  draw() {
    const { table } = this;
    const form = el("replay");
    const head = table.stream?.n ?? 0;
    const sign = `${head} ${table.past}`;
    if (form.dataset.sign === sign) return;
    form.dataset.sign = sign;
    const at = table.past ?? head;
    const go = (/** @type {number} */ n) => this.look(Math.max(0, Math.min(head, n)));
    form.replaceChildren(
      h("button", { type: "button", "aria-label": "one back", onclick: () => go(at - 1), disabled: at <= 0 }, "◀"),
      h("input", { type: "range", min: 0, max: head, value: at, "aria-label": "point of the game", onchange: (/** @type {Event} */ event) => go(Number(/** @type {HTMLInputElement} */ (event.target).value)) }),
      h("button", { type: "button", "aria-label": "one on", onclick: () => go(at + 1), disabled: at >= head }, "▶"),
      h("output", {}, `${at} / ${head}`),
      table.past !== null ? h("button", { type: "button", onclick: () => go(head) }, "Live") : "",
      table.past !== null && table.seat ? h("button", { type: "button", onclick: () => this.branch() }, "Try from here") : "",
      table.past !== null && table.seat && table.about.undo_policy !== "none" ? h("button", { type: "button", title: "propose to go back to this point", onclick: () => void table.agreeing.takeBack(at).then(() => go(head)) }, "Take back to here") : "");
  }

  /** The game as it was. @param {number} n */
  async look(n) {
    const { table } = this;
    if (n >= (table.stream?.n ?? 0)) {
      table.past = null;
      await table.stream?.start();
      return;
    }
    try {
      const snapshot = await get(`/api/g/${table.game}/at?n=${n}&seat=${encodeURIComponent(table.seat)}`);
      table.past = n;
      table.view?.replace(snapshot.view || snapshot.set || {});
      table.log = snapshot.log || [];
      table.last = { ...snapshot, undo: null };
      table.question = null;
      table.redraw();
    } catch (problem) {
      table.complain(problem);
    }
  }

  async branch() {
    const { table } = this;
    const seats = Object.fromEntries((table.about.seats || []).map((/** @type {any} */ one) => [one.seat, "me"]));
    try {
      const reply = await post(`/api/g/${table.game}/branch`, { seat: table.seat, n: table.past, seats });
      location.href = `/g/${reply.game}`;
    } catch (problem) {
      table.complain(problem);
    }
  }
}
