// @ts-check
/** Any earlier point of the game: looking at it, playing on from it elsewhere, proposing to go back to it. */

import { get, post } from "./api.js";
import { dialog, el, h } from "./dom.js";

export class Replay {
  /** @param {import("./table.js").Table} table */
  constructor(table) {
    this.table = table;
    /** the point that the address names: `#12` */
    this.named = /^#\d+$/.test(location.hash) ? Number(location.hash.slice(1)) : -1;
  }

  draw() {
    const { table } = this;
    const form = el("replay");
    if (table.past === null && location.hash && this.named < 0) history.replaceState(null, "", location.pathname);
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
      table.past !== null && table.seat ? h("button", { type: "button", onclick: () => void this.branch() }, "Try from here") : "",
      table.past !== null && table.seat && table.about.undo_policy !== "none" ? h("button", { type: "button", title: "propose to go back to this point", onclick: () => void table.agreeing.takeBack(at).then(() => go(head)) }, "Take back to here") : "");
  }

  /** Goes to the point that the address names. */
  async wanted() {
    if (this.named >= 0) await this.look(this.named);
    this.named = -1;
  }

  /** The game as it was. @param {number} n */
  async look(n) {
    const { table } = this;
    if (n >= (table.stream?.n ?? 0)) {
      table.past = null;
      await table.stream?.start();
      return;
    }
    await this.fetch(`n=${n}`);
  }

  /** The game when a line of the log was told. @param {number} line */
  async lookAtLine(line) {
    await this.fetch(`line=${line}`);
  }

  /** @param {string} which */
  async fetch(which) {
    const { table } = this;
    try {
      const snapshot = await get(`/api/g/${table.game}/at?${which}&seat=${encodeURIComponent(table.seat)}`);
      if (snapshot.n >= (table.stream?.n ?? 0)) return void (table.past !== null && this.look(snapshot.n));
      table.past = snapshot.n;
      history.replaceState(null, "", `#${snapshot.n}`);
      table.view?.replace(snapshot.view || snapshot.set || {});
      table.log = snapshot.log || [];
      table.last = { ...snapshot, undo: null };
      table.question = null;
      table.listed = -1;
      table.redraw();
    } catch (problem) {
      table.complain(problem);
    }
  }

  async branch() {
    const { table } = this;
    try {
      const { bots } = await get(`/api/titles/${encodeURIComponent(table.about.title)}`);
      const seats = (table.about.seats || []).filter((/** @type {any} */ one) => !one.idle).map((/** @type {any} */ one) => {
        const select = /** @type {HTMLSelectElement} */ (h("select", {}, h("option", { value: "me" }, "me"), ...(bots || []).map((/** @type {string} */ bot) => h("option", { value: `bot:${bot}` }, `bot ${bot}`))));
        return { seat: one.seat, select, label: h("label", {}, `${table.view?.label(null, one.seat)} `, select) };
      });
      const begin = async () => {
        try {
          const chosen = Object.fromEntries(seats.map((/** @type {any} */ one) => [one.seat, one.select.value]));
          const reply = await post(`/api/g/${table.game}/branch`, { seat: table.seat, n: table.past, seats: chosen });
          location.assign(`/g/${reply.game}`);
        } catch (problem) {
          table.complain(problem);
        }
      };
      dialog("Another game that starts at this point", h("div", { class: "seats" }, ...seats.map((/** @type {any} */ one) => one.label)), h("p", {}, h("button", { type: "button", class: "main", onclick: () => void begin() }, "Begin")));
    } catch (problem) {
      table.complain(problem);
    }
  }
}
