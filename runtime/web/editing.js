// @ts-check
/** Changing the position by hand: a counter is chosen and moved, removed or given other values.  The changes are collected and then
 *  proposed to the others; nothing is changed before all have agreed. */

import { announce, el, h, words } from "./dom.js";

/** @typedef {import("./view.js").Counter} Counter */
/** @typedef {{domain: string, member: string|null, label: string}} Target */
/** @typedef {{text: string, body: any}} Change */

/** Names that are offered for a field. */
const MOST_NAMES = 400;

export class Editing {
  /** @param {import("./table.js").Table} table */
  constructor(table) {
    this.table = table;
    this.on = false;
    this.able = false;
    /** @type {Target|null} what is being changed */
    this.target = null;
    /** @type {Change[]} */
    this.changes = [];
  }

  start() {
    this.on = true;
    this.target = null;
    this.changes = [];
    this.table.pointing.drop(true);
    this.draw();
    document.getElementById("edit-what")?.focus();
    announce("Changing the position: choose a counter on the map or in the list.");
  }

  stop() {
    this.on = false;
    this.draw();
    el("question").focus();
  }

  // ---- what is pointed at

  /** @param {string|null} place @param {Counter|null} counter */
  clicked(place, counter) {
    if (counter) return this.choose(this.ofCounter(counter));
    if (place === null) return;
    if (this.target && this.placeField(this.target)) return this.move(place);
    this.choose(this.ofPlaces(place)[0] || null);
  }

  /** A counter was dragged. @param {Counter} counter @param {string|null} place */
  dropped(counter, place) {
    this.choose(this.ofCounter(counter));
    if (place !== null && place !== counter.place) this.move(place);
  }

  /** @param {Counter} counter @returns {Target} */
  ofCounter(counter) {
    const { view } = this.table;
    const where = counter.place ? view?.placeTitle(counter.place) : "off the map";
    return { domain: counter.domain, member: counter.names[0], label: `${counter.side ? `${view?.label(null, counter.side)} ` : ""}${counter.label} (${where})` };
  }

  /** A place, under each name that it has values of. @param {string} place @returns {Target[]} */
  ofPlaces(place) {
    const { view } = this.table, found = view?.places.get(place);
    if (!view || !found) return [];
    const domains = new Set([found.space, ...(view.layout.spaces[found.space].classes || [])]);
    return [...domains].map((domain) => ({ domain, member: place, label: view.placeTitle(place) })).filter((target) => this.fields(target).length);
  }

  /** @returns {Target[]} */
  targets() {
    const { view } = this.table;
    if (!view) return [];
    /** @type {Target} */
    const game = { domain: "game", member: null, label: "the game" };
    const counters = view.counters().map((counter) => this.ofCounter(counter)).filter((one) => !this.closed(one.domain) || this.fields(one).length).sort((a, b) => a.label.localeCompare(b.label));
    const places = [...view.places.keys()].flatMap((place) => this.ofPlaces(place));
    return [...(this.fields(game).length ? [game] : []), ...counters, ...places];
  }

  /** Whether there is anything that can be changed: once there was, there is. */
  possible() {
    this.able ||= this.targets().length > 0;
    return this.able;
  }

  /** @param {Target|null} target */
  choose(target) {
    this.target = target;
    this.draw();
    if (target) announce(`${target.label} chosen`);
  }

  // ---- values

  /** Fields that can be written, with their values as they are. @param {Target} target @returns {[string, any][]} */
  fields(target) {
    const { view } = this.table;
    const own = view?.cells[target.domain]?.[target.member ?? "game"] || {};
    const known = target.domain === "game" ? view?.texts.game || {} : view?.texts.types?.[target.domain]?.fields || {};
    return Object.entries(own).filter(([name, value]) => name in known && !this.closed(target.domain, name) && (value === null || typeof value !== "object" || Array.isArray(value)));
  }

  /** Whether the server would refuse a change: of a field that can be hidden, or of whether there is such a counter, where several play. @param {string} domain @param {string} [field] */
  closed(domain, field) {
    const { about, view } = this.table, texts = view?.texts;
    if (about.edit !== "open") return false;
    if (domain === "game") return (texts?.closed || []).includes(field);
    const type = texts?.types?.[domain];
    return Boolean(field === undefined ? type?.closed : type?.fields?.[field]?.closed);
  }

  /** The field that says where a counter lies. @param {Target} target @returns {string|null} */
  placeField(target) {
    const { view } = this.table;
    const roles = view?.layout.pieces[target.domain];
    const own = view?.cells[target.domain]?.[target.member ?? ""] || {};
    const fields = /** @type {string[]} */ (roles?.places || []);
    const open = fields.filter((field) => !this.closed(target.domain, field));
    return open.find((field) => own[field] && view?.places.has(own[field])) || open[0] || null;
  }

  /** Names that a field may hold, as far as the page knows some. @param {Target} target @param {string} field */
  names(target, field) {
    const { view } = this.table;
    const of = view?.texts.types?.[target.domain]?.fields?.[field]?.of;
    const same = Object.values(view?.cells[target.domain] || {}).map((fields) => fields[field]).flat();
    const members = of ? [...Object.keys(view?.cells[of] || {}), ...Object.keys(view?.texts.labels?.[of] || {}), ...Object.keys(view?.texts.kinds?.[of] || {}), ...Object.keys(view?.layout.spaces[of]?.cells || {})] : [];
    return [...new Set([...members, ...same])].filter((name) => typeof name === "string" && name !== "*").slice(0, MOST_NAMES);
  }

  // ---- changes

  /** @param {string} text @param {any} body */
  add(text, body) {
    this.changes.push({ text, body });
    this.draw();
    announce(`${text}. ${this.changes.length} to be proposed.`);
  }

  /** @param {string} place */
  move(place) {
    const { target } = this, { view } = this.table;
    const field = target && this.placeField(target);
    if (!target || !field || !view) return;
    const fields = { [field]: place };
    const carrier = view.layout.pieces[target.domain]?.carrier;
    // Who is laid on the map is no longer carried.
    if (carrier && view.cells[target.domain]?.[target.member ?? ""]?.[carrier]) fields[carrier] = /** @type {any} */ (null);
    this.add(`${target.label} to ${view.placeTitle(place)}`, { set: target.domain, member: target.member, fields });
  }

  remove() {
    if (this.target) this.add(`${this.target.label} is removed`, { remove: this.target.domain, member: this.target.member });
  }

  /** @param {string} field @param {any} value */
  set(field, value) {
    const { target } = this;
    if (!target) return;
    const body = { set: target.domain, ...(target.member === null ? {} : { member: target.member }), fields: { [field]: value } };
    this.add(`${target.label}: ${words(field)} ${Array.isArray(value) ? value.join(", ") || "none" : value === null ? "none" : value === true ? "yes" : value === false ? "no" : words(String(value))}`, body);
  }

  async propose() {
    if (await this.table.agreeing.change(this.changes.map((change) => change.body))) this.stop();
  }

  // ---- drawing

  draw() {
    const box = document.getElementById("editing"), { view } = this.table;
    if (!box || !view) return;
    this.table.main.classList.toggle("edits", this.on);
    if (!this.on) return void box.replaceChildren();
    const held = document.activeElement && box.contains(document.activeElement) ? document.activeElement.id : "";
    const targets = this.targets();
    const same = (/** @type {Target} */ one) => this.target !== null && one.domain === this.target.domain && one.member === this.target.member;
    box.replaceChildren(
      h("h2", {}, "Change the position"),
      h("label", {}, "Counter, place or game ", h("select", { id: "edit-what", onchange: (/** @type {Event} */ event) => this.choose(targets[Number(/** @type {HTMLSelectElement} */ (event.target).value)] || null) },
        h("option", { value: "" }, "choose, here or on the map"), ...targets.map((one, index) => h("option", { value: index, selected: same(one) }, one.label)))),
      ...(this.target ? this.controls(this.target) : []),
      this.changes.length ? h("ol", { class: "changes", "aria-label": "changes to be proposed" }, ...this.changes.map((change, index) => h("li", {}, `${change.text} `,
        h("button", { type: "button", "aria-label": `leave out: ${change.text}`, onclick: () => { this.changes.splice(index, 1); this.draw(); el("edit-what").focus(); } }, "×")))) : h("p", {}, "Nothing is changed yet."),
      h("div", { class: "deal" },
        h("button", { type: "button", id: "edit-propose", class: "main", disabled: !this.changes.length, onclick: () => this.propose() }, "Propose"),
        h("button", { type: "button", id: "edit-leave", onclick: () => this.stop() }, "Leave")));
    if (held) (document.getElementById(held) || el("edit-what")).focus();
  }

  /** @param {Target} target @returns {HTMLElement[]} */
  controls(target) {
    const { view } = this.table;
    const parts = [];
    if (view?.layout.pieces[target.domain]) {
      const to = /** @type {HTMLInputElement} */ (h("input", { id: "edit-to", list: "edit-places", autocomplete: "off", "aria-label": "place to move to", placeholder: "a place" }));
      if (this.placeField(target)) parts.push(h("form", { class: "look", onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        const name = to.value.trim();
        const known = view.places.has(name) ? name : [...view.places.keys()].find((one) => view.placeTitle(one).toLowerCase() === name.toLowerCase());
        if (known) this.move(known);
        else announce(`there is no place ${name}`);
      } }, to, h("datalist", { id: "edit-places" }, ...[...view.places.keys()].map((name) => h("option", { value: name }, view.placeTitle(name)))), h("button", { id: "edit-move" }, "Move there")));
      if (!this.closed(target.domain)) parts.push(h("div", { class: "deal" }, h("button", { type: "button", id: "edit-remove", onclick: () => this.remove() }, "Remove it")));
    }
    const fields = this.fields(target);
    if (!fields.length) return parts;
    const value = h("span", { class: "value" });
    /** @type {() => any} */
    let read = () => null;
    const choice = /** @type {HTMLSelectElement} */ (h("select", { id: "edit-field", "aria-label": "field" }, ...fields.map(([name]) => h("option", { value: name }, words(name)))));
    const fill = () => {
      const [name, now] = fields.find(([one]) => one === choice.value) || fields[0];
      read = this.control(value, target, name, now);
    };
    choice.addEventListener("change", fill);
    fill();
    parts.push(h("form", { class: "look", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); this.set(choice.value, read()); } }, choice, value, h("button", { id: "edit-set" }, "Set")));
    return parts;
  }

  /** Something to enter a value with; gives what reads it. @param {HTMLElement} box @param {Target} target @param {string} field @param {any} now @returns {() => any} */
  control(box, target, field, now) {
    const label = { "aria-label": `value of ${words(field)}`, id: "edit-value" };
    if (typeof now === "boolean") {
      const input = /** @type {HTMLSelectElement} */ (h("select", label, h("option", { value: "yes", selected: now }, "yes"), h("option", { value: "", selected: !now }, "no")));
      box.replaceChildren(input);
      return () => input.value === "yes";
    }
    if (typeof now === "number") {
      const input = /** @type {HTMLInputElement} */ (h("input", { ...label, type: "number", required: true, step: 1, value: now }));
      box.replaceChildren(input);
      return () => Number(input.value);
    }
    const list = Array.isArray(now);
    const input = /** @type {HTMLInputElement} */ (h("input", { ...label, list: "edit-names", autocomplete: "off", value: list ? now.join(", ") : now ?? "", placeholder: list ? "names, with commas" : "none" }));
    box.replaceChildren(input, h("datalist", { id: "edit-names" }, ...this.names(target, field).map((name) => h("option", { value: name }))));
    return () => {
      const text = input.value.trim();
      if (list) return text ? text.split(",").map((name) => name.trim()).filter(Boolean) : [];
      // A field that is empty now may hold numbers as well as names.
      return text === "" ? null : now === null && /^-?\d+$/.test(text) && !this.names(target, field).includes(text) ? Number(text) : text;
    };
  }
}
