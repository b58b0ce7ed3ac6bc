// @ts-check
/** Rules painted over the map: what is seen from here, zones of control, supply.  Which there are, the title's look says; what they
 *  say comes from the engine, as far as the seat may know. */

import { get } from "./api.js";
import { announce, el, h } from "./dom.js";
import { reasonTree } from "./panels.js";

/** @typedef {{title: string, rule: string, from: "piece"|"place"|null, cites: string[]}} Overlay */

export class Overlays {
  /** @param {import("./table.js").Table} table */
  constructor(table) {
    this.table = table;
    /** @type {Overlay|null} */
    this.chosen = null;
    /** @type {{piece: string|null, place: string|null, label: string}} what it is asked from */
    this.origin = { piece: null, place: null, label: "" };
    this.drawn = "";
    /** @type {Record<string, number>} */
    this.places = {};
  }

  /** The list of overlays, for the map's tools; nothing where there are none. */
  tool() {
    /** @type {Overlay[]} */
    const known = this.table.view?.layout.overlays || [];
    if (!known.length) return "";
    return h("select", {
      id: "overlay", "aria-label": "show on the map", title: "what a rule says of each place",
      onchange: (/** @type {Event} */ event) => this.choose(known[Number(/** @type {HTMLSelectElement} */ (event.target).value)] || null),
    }, h("option", { value: "" }, "Show ..."), ...known.map((one, number) => h("option", { value: number }, one.title)));
  }

  /** @param {Overlay|null} overlay */
  choose(overlay) {
    this.chosen = overlay;
    this.drawn = "";
    if (!overlay) return this.clear();
    if (overlay.from && !this.origin[overlay.from]) announce(`Point at a ${overlay.from === "piece" ? "counter" : "place"} to see: ${overlay.title}`);
    void this.renew();
  }

  /** What is painted, for the map in words. */
  told() {
    if (!this.chosen || !this.drawn) return null;
    return { title: `${this.chosen.title}${this.chosen.from ? ` from ${this.origin.label}` : ""}`, places: Object.keys(this.places) };
  }

  clear() {
    this.places = {};
    this.table.board?.paint(new Map());
  }

  /** @param {string} place @param {import("./view.js").Counter|null} counter */
  async pointed(place, counter) {
    const { chosen } = this;
    const own = counter && this.table.carries(counter);
    // Who looks from a counter and points at a place wants to know of that place.
    if (chosen && this.drawn && !own && (chosen.from === null || place !== this.origin.place)) await this.explain(place);
    if (!chosen || own || chosen.from === "place" || !this.origin.piece) this.origin = { piece: counter?.name ?? this.origin.piece, place, label: counter?.label || this.table.view?.placeTitle(place) || place };
    await this.renew();
  }

  /** @returns {string} */
  query() {
    const { chosen, origin, table } = this;
    return `/api/g/${table.game}/overlay?seat=${encodeURIComponent(table.seat)}&rule=${encodeURIComponent(chosen?.rule || "")}&from=${encodeURIComponent(origin.piece || "")}&at=${encodeURIComponent(origin.place || "")}`;
  }

  /** Paints it again where the game or what it is asked from has changed. */
  async renew() {
    const { chosen, origin, table } = this;
    if (!chosen || table.past !== null) return this.drawn ? (this.drawn = "", this.clear()) : undefined;
    if (chosen.from === "piece" && !(origin.piece && Object.values(table.view?.cells || {}).some((members) => origin.piece && members[origin.piece]))) return this.clear();
    if (chosen.from === "place" && !origin.place) return;
    const sign = `${chosen.rule} ${chosen.from ? `${origin.piece} ${origin.place}` : ""} ${table.stream?.n}`;
    if (sign === this.drawn) return;
    this.drawn = sign;
    try {
      const reply = await get(this.query());
      if (this.drawn !== sign) return;
      this.places = reply.places;
      table.board?.paint(new Map(Object.keys(reply.places).map((place) => [place, "yes"])));
      if (table.tab === "words") table.drawPanel();
      announce(`${chosen.title}${chosen.from ? ` from ${origin.label}` : ""}: ${Object.keys(reply.places).length} places`);
    } catch {
      this.clear();
    }
  }

  /** Why one place is shaded, or not. @param {string} place */
  async explain(place) {
    const { chosen, table } = this;
    if (!chosen || !table.view) return;
    try {
      const reply = await get(`${this.query()}&to=${encodeURIComponent(place)}`);
      const said = place in this.places ? "yes" : "no";
      el("inspect").append(h("div", { class: "why-not" }, h("h4", {}, `${chosen.title}${chosen.from ? ` from ${this.origin.label}` : ""} to ${table.view.placeTitle(place)}: ${said}`), reasonTree(reply.reasons, table.view)));
    } catch {
      // A place that the rule cannot be asked of.
    }
  }
}
