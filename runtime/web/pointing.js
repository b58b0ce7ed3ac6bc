// @ts-check
/** Building an answer by pointing: a counter, then where it goes or what it fires at, in any order that the rules allow.
 *  Nothing is sent until the last of it is pointed at; Escape goes back. */

import { get } from "./api.js";
import { announce, el, h } from "./dom.js";

/** @typedef {import("./view.js").Counter} Counter */
/** @typedef {{answers: string[], labels: string[], place?: string, piece?: string, domain?: string}} End */
/** @typedef {{of: string, title: string, place: string|null, ends: End[], acts: End[], cut?: boolean}} Pick */
/** @typedef {{cost: number, path: string[]}} Way */

export class Pointing {
  /** @param {import("./table.js").Table} table */
  constructor(table) {
    this.table = table;
    /** @type {Pick|null} what is in the hand */
    this.pick = null;
    /** @type {Map<string, Record<string, Way>>} ways by the answers before them */
    this.known = new Map();
    /** @type {Map<string, string>} what answers promise, by the answers as JSON */
    this.chances = new Map();
    /** @type {AbortController|null} */
    this.weighing = null;
    /** @type {string} the question that all of this belongs to */
    this.question = "";
  }

  /** Another question: nothing of the last one holds. */
  renew() {
    const id = this.table.question?.id ?? "";
    if (id === this.question) return;
    this.question = id;
    this.pick = null;
    this.known.clear();
    this.chances.clear();
    this.weighing?.abort();
    this.table.board?.hint([], []);
    void this.begin();
  }

  /** @param {string} name what is pointed at @returns {Promise<Pick|null>} */
  async found(name) {
    const { table } = this;
    if (!table.question || table.past !== null) return null;
    const id = table.question.id;
    const reply = await get(`/api/g/${table.game}/gestures?seat=${encodeURIComponent(table.seat)}&of=${encodeURIComponent(name)}`);
    if (table.question?.id !== id) return null;
    return { of: name, title: name, place: null, ends: reply.ends, acts: reply.acts, cut: reply.cut };
  }

  /** Takes a counter up: where it can go is lit. @param {Counter} counter @returns {Promise<boolean>} whether there is anything to do with it */
  async take(counter) {
    const pick = await this.found(counter.name).catch(() => null);
    if (!pick || (!pick.ends.length && !pick.acts.length)) return false;
    this.pick = { ...pick, title: counter.label, place: counter.place };
    this.table.lights();
    this.table.board?.draw();
    this.table.drawInspect();
    announce(`${counter.label} taken up: ${pick.ends.length} places or targets${pick.acts.length ? `, ${pick.acts.length} other things to do` : ""}. Escape puts it back.`);
    void this.learn(pick.ends);
    void this.weigh(pick.ends);
    return true;
  }

  /** @param {boolean} [quiet] */
  drop(quiet = false) {
    if (!this.pick) return false;
    this.pick = null;
    this.weighing?.abort();
    this.table.board?.trail(null);
    this.table.lights();
    this.table.board?.draw();
    this.table.drawInspect();
    if (!quiet) announce("put back");
    return true;
  }

  /** While actions are chosen from: what can be pointed at is ringed lightly. */
  async begin() {
    const { table } = this, id = this.question;
    if (!id || table.past !== null || table.question?.kind !== "action") return;
    try {
      const { pieces, places } = await get(`/api/g/${table.game}/gestures?seat=${encodeURIComponent(table.seat)}&of=*`);
      if (table.question?.id !== id) return;
      table.board?.hint(places, pieces.map((/** @type {string[]} */ one) => one.join("/")));
    } catch {
      // It is a help only.
    }
  }

  /** Whether something is done to others. @param {End} end */
  against(end) {
    const { about, board, seat } = this.table;
    // Who plays alone for all sides has others as well: those of the seat that is asked.
    const own = [seat, (about.seats || []).find((/** @type {any} */ one) => one.seat === seat)?.side];
    const there = end.piece ? [board?.find(end.domain || "", end.piece)] : board?.stacks.get(end.place ?? null) || [];
    return there.some((one) => one?.side && !own.includes(one.side));
  }

  /** What firing at each target promises, one after the other; shown when it comes. @param {End[]} ends */
  async weigh(ends) {
    const { table } = this;
    this.weighing?.abort();
    const stop = (this.weighing = new AbortController());
    const hostile = ends.filter((end) => this.against(end));
    for (const prefix of [...new Set(hostile.map((end) => JSON.stringify(end.answers.slice(0, -1))))].slice(0, 3)) {
      try {
        const answers = JSON.parse(prefix).map(encodeURIComponent).join(",");
        const reply = await get(`/api/g/${table.game}/odds?seat=${encodeURIComponent(table.seat)}&answers=${answers}`, stop.signal);
        if (this.pick?.ends !== ends) return;
        for (const one of reply.choices) if (one.odds && one.odds.same < 0.9995) this.chances.set(JSON.stringify([...JSON.parse(prefix), one.name]), `${Math.round(100 * one.odds.better)} %`);
        table.board?.price(this.prices());
        table.drawInspect();
      } catch {
        return;
      }
    }
  }

  /** What the places cost; asked for once, and drawn when it comes. @param {End[]} ends */
  async learn(ends) {
    const { table } = this;
    const before = [...new Set(ends.filter((end) => end.place && !end.piece).map((end) => JSON.stringify(end.answers.slice(0, -1))))].slice(0, 4);
    await Promise.all(before.map((prefix) => this.ways(prefix)));
    if (this.pick?.ends === ends) table.board?.price(this.prices());
  }

  /** @param {string} prefix the answers before it, as JSON @returns {Promise<Record<string, Way>>} */
  async ways(prefix) {
    const have = this.known.get(prefix);
    if (have) return have;
    this.known.set(prefix, {});
    const answers = /** @type {string[]} */ (JSON.parse(prefix));
    const query = answers.map((answer) => `&answer=${encodeURIComponent(answer)}`).join("");
    const id = this.question;
    try {
      const reply = await get(`/api/g/${this.table.game}/ways?seat=${encodeURIComponent(this.table.seat)}${query}`);
      if (id === this.question) this.known.set(prefix, reply.ways);
      return reply.ways;
    } catch {
      return {};
    }
  }

  /** The least cost of each place that is lit, and what firing there promises. @returns {Map<string, string>} */
  prices() {
    const found = new Map();
    for (const [place, way] of this.allWays())
      if (this.table.board?.litPlaces.has(place)) found.set(place, Math.min(way.cost, found.get(place) ?? Infinity));
    for (const end of this.pick?.ends || []) {
      const chance = this.chances.get(JSON.stringify(end.answers));
      if (chance && end.place && !found.has(end.place)) found.set(end.place, chance);
    }
    return new Map([...found].map(([place, text]) => [place, String(text)]));
  }

  /** @returns {[string, Way][]} */
  allWays() {
    if (!this.pick) return Object.entries(this.known.get("[]") || {});
    return this.pick.ends.flatMap((end) => {
      const way = end.place ? this.known.get(JSON.stringify(end.answers.slice(0, -1)))?.[end.answers.at(-1) || ""] : undefined;
      return way && end.place ? [/** @type {[string, Way]} */ ([end.place, way])] : [];
    });
  }

  /** Shows the way to a place that is lit, and what it costs. @param {string|null} place */
  async hover(place) {
    const { table } = this;
    if (!table.board || !place || !table.board.litPlaces.has(place)) return void table.board?.trail(null);
    if (!this.pick && table.question?.choices.some((/** @type {any} */ choice) => choice.place && !choice.piece)) await this.ways("[]");
    const ways = this.allWays().filter(([to]) => to === place).map(([, way]) => way).sort((a, b) => a.cost - b.cost);
    table.board?.trail(ways[0]?.path.length > 1 ? ways[0].path : null, ways[0] ? `${ways[0].cost}` : "");
  }

  /** What the hand can do at a place or with a counter there. @param {string|null} place @param {Counter|null} counter @param {Counter[]} stack @returns {End[]} */
  meant(place, counter, stack) {
    if (!this.pick) return [];
    const own = counter ? this.pick.ends.filter((end) => end.piece && counter.names.includes(end.piece)) : [];
    if (own.length) return own;
    const there = this.pick.ends.filter((end) => end.place === place && place !== null);
    const bare = there.filter((end) => !end.piece);
    if (bare.length) return bare;
    const seen = new Set();
    return there.filter((end) => {
      const group = `${end.answers.slice(0, -1)}/${stack.findIndex((one) => one.names.includes(end.piece || ""))}`;
      return seen.has(group) ? false : seen.add(group);
    });
  }

  /** Does one of these, or asks which. @param {End[]} ends @param {{x: number, y: number}} point */
  settle(ends, point) {
    if (ends.length === 1) return void this.table.answer(ends[0].answers);
    this.choose(ends, point);
  }

  /** Only what differs is worth reading; the rest is the heading. @param {End[]} ends @param {{x: number, y: number}} point */
  choose(ends, point) {
    const long = ends[0].labels.length;
    const even = ends.every((end) => end.labels.length === long);
    const same = (/** @type {number} */ n) => even && ends.length > 1 && ends.every((end) => end.labels[n] === ends[0].labels[n]);
    const heading = even && ends.length > 1 ? ends[0].labels.filter((_, n) => same(n)).join(", ") : "";
    this.table.chooser(ends.map((end) => ({ name: end.answers.join(" "), label: (end.labels.filter((_, n) => !same(n)).join(", ") || end.labels.join(", ")) + (this.chances.has(JSON.stringify(end.answers)) ? `: ${this.chances.get(JSON.stringify(end.answers))} better off` : ""), answers: end.answers })), point, heading);
  }

  /** Where nothing can be pointed at next, the few things to do are offered where the hand is. @param {{x: number, y: number}} point */
  offer(point) {
    if (this.pick && !this.pick.ends.length && this.pick.acts.length <= 8) this.choose(this.pick.acts, point);
  }

  /** A counter was dragged to a place. @param {Counter} counter @param {string|null} place @param {Counter|null} onto @param {{x: number, y: number}} point */
  async dropped(counter, place, onto, point) {
    const { table } = this;
    const asked = this.pick?.of === counter.name ? true : await this.take(counter);
    if (!this.pick || !asked) return table.refuse(counter, place);
    const ends = this.meant(place, onto, (place !== null && table.board?.stacks.get(place)) || []);
    if (ends.length) return this.settle(ends, point);
    // Whoever lets go where it lay has only taken it up.
    if (place !== counter.place) {
      this.drop(true);
      table.refuse(counter, place);
    }
  }

  /** The hand in words, with everything that it can do as buttons. @returns {HTMLElement[]} */
  panel() {
    const { pick, table } = this;
    if (!pick) return [];
    const button = (/** @type {End} */ end) => h("li", {}, h("button", {
      type: "button", onclick: () => table.answer(end.answers), onfocus: () => end.place && this.hover(end.place), onmouseenter: () => end.place && this.hover(end.place),
    }, this.worded(end)));
    const nodes = [
      h("h3", {}, pick.title, ": what with it?"),
      h("button", { type: "button", class: "back", onclick: () => this.drop() }, "← Put back"),
    ];
    if (pick.acts.length) nodes.push(h("ul", { class: "choices" }, ...pick.acts.slice(0, 40).map(button)));
    if (pick.ends.length) nodes.push(h("details", { open: pick.ends.length <= 12 }, h("summary", {}, `${pick.ends.length} places or targets`),
      h("ul", { class: "choices" }, ...pick.ends.slice(0, 200).map(button))));
    if (pick.cut) nodes.push(h("p", {}, "There may be more: see the question."));
    return nodes;
  }

  /** @param {End} end */
  worded(end) {
    const way = end.place ? this.known.get(JSON.stringify(end.answers.slice(0, -1)))?.[end.answers.at(-1) || ""] : undefined;
    const chance = this.chances.get(JSON.stringify(end.answers));
    return end.labels.join(", ") + (way ? ` (${way.cost})` : "") + (chance ? `: ${chance} better off` : "");
  }

  /** Place first, then by whom. @param {string} place @param {{x: number, y: number}} point @returns {Promise<boolean>} */
  async atPlace(place, point) {
    const found = await this.found(place).catch(() => null);
    const ways = [...(found?.acts || []), ...(found?.ends || [])].filter((end) => end.answers.includes(place));
    const whole = [...new Map(ways.map((end) => [JSON.stringify(end.answers.slice(0, end.answers.indexOf(place) + 1)), end])).entries()]
      .map(([answers, end]) => ({ ...end, answers: /** @type {string[]} */ (JSON.parse(answers)) }));
    if (!whole.length) return false;
    this.choose(whole.slice(0, 60), point);
    el("chooser").setAttribute("aria-label", "by whom?");
    return true;
  }
}
