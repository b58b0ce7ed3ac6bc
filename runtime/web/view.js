// @ts-check
/** What a seat sees: domains, members, fields; and what of it is a counter, a place, a side. */

import { shown, words } from "./dom.js";

/** @typedef {Record<string, Record<string, Record<string, any>>>} Cells */

const TABLE = Uint32Array.from({ length: 256 }, (_, start) => {
  let value = start;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});
/** Members that say that there is nothing to say. */
const NOTHING = /^(no|none|not|idle|fresh|intact|free|nowhere|inside|afield|nothing|normal|ready|ok)(_|$)/;
const bytes = new TextEncoder();
/** @param {string} text */
function crc32(text) {
  let value = 0xffffffff;
  for (const byte of bytes.encode(text)) value = TABLE[(value ^ byte) & 255] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

/**
 * A counter, or several that nobody can tell apart.
 * @typedef {{domain: string, name: string, names: string[], fields: Record<string, any>, kind: string|null, row: string|null,
 *   side: string|null, place: string|null, label: string, facing: string|null, marks: string[], symbol: string}} Counter
 */

export class View {
  /** @param {any} layout @param {any} texts */
  constructor(layout, texts) {
    this.layout = layout;
    this.texts = texts || {};
    /** @type {Set<string>} fields that only the rules keep count of */
    this.unshown = new Set(layout.unshown || []);
    /** @type {Cells} */
    this.cells = {};
    this.sum = 0;
    /** @type {WeakMap<object, Counter>} counters by their fields, which are another object when one has changed */
    this.made = new WeakMap();
    /** @type {Map<string, {space: string, cell: any}>} */
    this.places = new Map();
    for (const [space, entry] of Object.entries(layout.spaces))
      for (const [name, cell] of Object.entries(/** @type {any} */ (entry).cells)) this.places.set(name, { space, cell });
  }

  /** @param {Cells} cells */
  replace(cells) {
    this.cells = structuredClone(cells || {});
    this.sum = 0;
    for (const [domain, members] of Object.entries(this.cells))
      for (const [member, fields] of Object.entries(members)) this.count(domain, member, fields, 1);
  }

  /** Counts values into the checksum, or out of it. @param {string} domain @param {string} member @param {Record<string, any>|undefined} fields @param {1|-1} sign */
  count(domain, member, fields, sign) {
    for (const [field, value] of Object.entries(fields || {}))
      this.sum = (this.sum + sign * crc32(`${domain}\0${member}\0${field}\0${JSON.stringify(value)}`)) >>> 0;
  }

  /** @param {{set?: Cells, gone?: Record<string, string[]>}} message */
  apply(message) {
    for (const [domain, members] of Object.entries(message.gone || {}))
      for (const name of members) {
        this.count(domain, name, this.cells[domain]?.[name], -1);
        delete this.cells[domain]?.[name];
      }
    for (const [domain, members] of Object.entries(message.set || {})) {
      const mine = (this.cells[domain] ??= {});
      for (const [name, fields] of Object.entries(members)) {
        const before = mine[name] || {};
        for (const [field, value] of Object.entries(fields)) {
          if (field in before) this.count(domain, name, { [field]: before[field] }, -1);
          this.count(domain, name, { [field]: value }, 1);
        }
        mine[name] = { ...before, ...fields };
      }
    }
  }

  /** The checksum of all values, as the server counts it: the sum of their CRC-32.  It is kept up with each change. */
  checksum() {
    return this.sum.toString(16).padStart(8, "0");
  }

  /** What people call a member. @param {string|null} domain @param {any} name @returns {string} */
  label(domain, name) {
    if (name === null || name === undefined) return "none";
    const text = String(name);
    return this.layout.names?.[text] || (domain && this.texts.labels?.[domain]?.[text]) ||
      // Names of sides that are too short to be words: US, UK.
      (text in this.layout.sides ? (/^[a-z]{2}$/.test(text) ? text.toUpperCase() : words(text).replace(/^./, (first) => first.toUpperCase())) : words(text));
  }

  /** A value of a field in words. @param {string} domain @param {string} field @param {any} value */
  value(domain, field, value) {
    const of = domain === "game" ? (this.texts.game?.[field] || "").replace(/^set of |\?$/g, "") : this.texts.types?.[domain]?.fields?.[field]?.of;
    if (Array.isArray(value)) return value.length ? value.map((one) => this.label(of, one)).join(", ") : "none";
    if (of && typeof value === "string") return this.label(of, value);
    return shown(value);
  }

  /** @param {string|null} seat */
  colour(seat) {
    return (seat && this.layout.sides[seat]) || "#e6e1d0";
  }

  /** The number of a side's pattern. @param {string|null} side */
  sideNumber(side) {
    return Math.max(0, Object.keys(this.layout.sides).indexOf(side || "")) % 8;
  }

  /** @param {string} name */
  placeTitle(name) {
    const found = this.places.get(name);
    return found?.cell.title || name;
  }

  /** All counters in play, each with where it lies. @returns {Counter[]} */
  counters() {
    /** @type {Counter[]} */
    const found = [];
    for (const [domain, roles] of Object.entries(this.layout.pieces)) {
      for (const [name, fields] of Object.entries(this.cells[domain] || {})) {
        const known = this.made.get(fields) || this.counter(domain, roles, name, fields);
        this.made.set(fields, known);
        // Where it lies may be where its carrier lies.
        found.push({ ...known, names: [name], place: this.whereIs(domain, fields, 0) });
      }
    }
    return found;
  }

  /** @param {string} domain @param {any} roles @param {string} name @param {Record<string, any>} fields @returns {Counter} */
  counter(domain, roles, name, fields) {
    const row = roles.type ? fields[roles.type] ?? null : null;
    const title = row && roles.titles ? roles.titles[row] || words(row) : null;
    const label = roles.alike && title ? title : fields.label ? words(fields.label) : title ? `${title} ${name}` : words(name);
    return {
      domain, name, names: [name], fields, row, label,
      kind: roles.kind,
      side: roles.side ? fields[roles.side] ?? null : null,
      place: this.whereIs(domain, fields, 0),
      facing: roles.facing ? fields[roles.facing] ?? null : null,
      marks: this.marks(domain, roles, fields),
      symbol: row ? `k-${roles.kind}-${row}` : roles.kind ? "back" : `k-${domain}`,
    };
  }

  /** @param {string} domain @param {Record<string, any>} fields @param {number} depth @returns {string|null} */
  whereIs(domain, fields, depth) {
    const roles = this.layout.pieces[domain];
    for (const field of roles?.places || []) if (fields[field] && this.places.has(fields[field])) return fields[field];
    const by = roles?.carrier && fields[roles.carrier];
    if (by && depth < 8) {
      const of = this.texts.types?.[domain]?.fields?.[roles.carrier]?.of || domain;
      const carrier = this.cells[of]?.[by];
      if (carrier) return this.whereIs(of, carrier, depth + 1);
    }
    return null;
  }

  /** States that a person must see: flags that are set, members that are not the first. @param {string} domain @param {any} roles @param {Record<string, any>} fields */
  marks(domain, roles, fields) {
    const told = new Set([...this.unshown, ...(roles.places || []), roles.side, roles.facing, roles.type, "label", "_label"]);
    /** @type {string[]} */
    const found = [];
    for (const [field, value] of Object.entries(fields)) {
      if (told.has(field) || field.includes(".")) continue;
      if (value === true) found.push(words(field));
      else if (typeof value === "number" && value !== 0) found.push(`${words(field)} ${value}`);
      else if (typeof value === "string" && !NOTHING.test(value))
        found.push(`${words(field)} ${this.value(domain, field, value)}`);
    }
    return found;
  }

  /** Counters of each place, those that nobody can tell apart together. @returns {Map<string|null, Counter[]>} */
  stacks() {
    /** @type {Map<string|null, Map<string, Counter>>} */
    const stacks = new Map();
    for (const counter of this.counters()) {
      const stack = stacks.get(counter.place) || new Map();
      stacks.set(counter.place, stack);
      const alike = this.layout.pieces[counter.domain].alike;
      const key = alike ? [counter.symbol, counter.side, ...counter.marks].join("|") : `${counter.domain}/${counter.name}`;
      const same = stack.get(key);
      if (same) same.names.push(counter.name);
      else stack.set(key, counter);
    }
    // What stays where it is lies below what goes.
    const goes = (/** @type {Counter} */ one) => Number(Boolean(this.layout.pieces[one.domain].goes));
    return new Map([...stacks].map(([place, stack]) => [place, [...stack.values()].sort((a, b) => goes(a) - goes(b))]));
  }

  /** What a field says in words; nothing where it says nothing. @param {string} domain @param {string} field @param {any} value */
  told(domain, field, value) {
    if (this.unshown.has(field)) return "";
    if (value === true) return words(field);
    if (typeof value === "number" && value) return `${words(field)} ${value}`;
    if (typeof value === "string" && !NOTHING.test(value)) return `${words(field)} ${this.value(domain, field, value)}`;
    if (value && typeof value === "object" && Object.keys(value).length) return `${words(field)} ${shown(value)}`;
    return "";
  }

  /** The state of a place in words, without what says nothing. @param {string} name @returns {string[]} */
  placeStates(name) {
    const found = this.places.get(name);
    if (!found) return [];
    const domains = new Set([found.space, ...(this.layout.spaces[found.space].classes || [])]);
    return [...domains].flatMap((domain) => Object.entries(this.cells[domain]?.[name] || {}).map(([field, value]) => this.told(domain, field, value)).filter(Boolean));
  }

  /** What stands out of the state of hexes and squares, for labels on the map: what a quarter of them says at the most, and the game's sets of places.
   *  Whose they are is painted. @returns {Map<string, string>} */
  labels() {
    /** @type {Map<string, [string, string][]>} */
    const found = new Map();
    const note = (/** @type {string} */ place, /** @type {string} */ field, /** @type {string} */ text) => {
      if (text) found.set(place, [...(found.get(place) || []), [field, text]]);
    };
    for (const [space, { shape }] of Object.entries(this.layout.spaces)) {
      if (shape === "area") continue;
      for (const [place, fields] of Object.entries(this.cells[space] || {}))
        for (const [field, value] of Object.entries(fields))
          if (!(typeof value === "string" && this.layout.sides[value])) note(place, field, typeof value === "object" ? "" : this.told(space, field, value));
    }
    for (const [field, value] of Object.entries(this.cells.game?.game || {}))
      if (Array.isArray(value) && !this.unshown.has(field))
        for (const place of value) if (this.places.has(place)) note(place, field, words(field).replace(/s$/, ""));
    const times = new Map();
    for (const list of found.values()) for (const [field] of list) times.set(field, (times.get(field) || 0) + 1);
    return new Map([...found].map(([place, list]) => /** @type {[string, string]} */ ([place, list.filter(([field]) => times.get(field) * 4 <= this.places.size).map(([, text]) => text).join(", ").slice(0, 16)])).filter(([, text]) => text));
  }

  /** The side that a place belongs to by its state. @param {string} name @returns {string|null} */
  holder(name) {
    const found = this.places.get(name);
    if (!found) return null;
    for (const domain of [found.space, ...(this.layout.spaces[found.space].classes || [])])
      for (const value of Object.values(this.cells[domain]?.[name] || {}))
        if (typeof value === "string" && this.layout.sides[value]) return value;
    return null;
  }

  /** A place in words: ground, level, what lies there, what is around. @param {string} name @param {Counter[]} stack */
  describe(name, stack) {
    const cell = this.places.get(name)?.cell;
    if (!cell) return name;
    const parts = [this.placeTitle(name)];
    if (cell.ground) parts.push(cell.ground);
    if (cell.level) parts.push(`level ${cell.level}`);
    parts.push(...(cell.marks || []).filter((/** @type {string} */ mark) => !/ \d+$/.test(mark)), ...this.placeStates(name));
    for (const counter of stack) {
      const many = counter.names.length > 1 ? `${counter.names.length} ` : "";
      const side = counter.side ? `${this.label(null, counter.side)} ` : "";
      const facing = counter.facing ? ` facing ${counter.facing}` : "";
      parts.push(`${many}${side}${counter.label}${facing}${counter.marks.length ? ` (${counter.marks.join(", ")})` : ""}`);
    }
    return parts.join(", ");
  }
}
