// @ts-check
/** Everything that is not on the map: log, state of game and sides, counters off the map, the map in words. */

import { empty, h, shown, spaced, words } from "./dom.js";
import { citations } from "./question.js";

/** @typedef {import("./view.js").View} View */
/** @typedef {import("./view.js").Counter} Counter */

/** Lines of the log.  What one seat answers in a row stands in one sentence, headings with nothing below them in one line.
 * @param {any[]} lines @param {View} view @param {(line: any, node: HTMLElement) => void} open
 * @param {(places: string[]) => void} tell @param {any} [before] the line above them
 */
export function logItems(lines, view, open, tell, before) {
  return lines.map((line) => {
    const who = line.kind === "choice" ? speaker(line.text, view)?.name : undefined;
    const turns = who !== undefined && before?.kind === "choice" ? (speaker(before.text, view)?.name === who ? " goes-on" : " turns") : "";
    before = line;
    const node = h("li", { class: `line of-${line.kind || "log"}${turns}`, "data-line": line.id });
    const button = h("button", {
      type: "button", class: "plain", "aria-expanded": "false", title: "why?",
      onclick: () => open(line, node),
      onmouseenter: () => tell(line.places || []), onmouseleave: () => tell([]),
      onfocus: () => tell(line.places || []), onblur: () => tell([]),
    }, ...spoken(line.text, view, turns === " goes-on"));
    node.append(button);
    if (line.cites?.length) node.append(" ", citations(line.cites, view));
    return node;
  });
}

/** Who a line of the log begins with, and what follows. @param {string} text @param {View} view @returns {{name: string, rest: string}|null} */
function speaker(text, view) {
  for (const name of Object.keys(view.layout.sides).sort((a, b) => b.length - a.length))
    for (const form of [name, words(name), view.label(null, name)])
      if (text.slice(0, form.length).toLowerCase() === form.toLowerCase() && /[:\s]/.test(text[form.length] || "")) return { name, rest: text.slice(form.length) };
  return null;
}

/** A line of the log; who it begins with by name and colour, unless it goes on with what they have just said. @param {string} text @param {View} view @param {boolean} goesOn @returns {(Node|string)[]} */
function spoken(text, view, goesOn) {
  // A die that the rules call by one letter is a die.
  // Names that authors write are words.
  text = text.replace(/\b[a-z]+(?:_[a-z0-9]+)+\b/g, words).replace(/^[a-z], (?:d\((-?\d+)\.\.(-?\d+)\)|(\d*d\d+))/, (_, low, high, plain) => plain || `die ${low}-${high}`);
  const found = speaker(text, view);
  // A side that is named last is written as it is called.
  const called = (/** @type {string} */ said) => said.replace(/ (\w+)$/, (all, last) => (last in view.layout.sides ? ` ${view.label(null, last)}` : all));
  if (!found) return [called(text)];
  const rest = called(found.rest.replace(/^ picks /, ": "));
  if (goesOn) return [`· ${rest.replace(/^: /, "")}`];
  const mark = h("b", { class: "who" }, view.label(null, found.name));
  mark.style.borderColor = view.colour(found.name);
  return [mark, rest];
}

/** A tree of reasons. @param {any} reason @param {View} view @returns {HTMLElement} */
export function reasonTree(reason, view) {
  if (Array.isArray(reason)) return h("ul", { class: "why" }, ...reason.map((one) => h("li", {}, reasonTree(one, view))));
  const text = h("span", {}, reason.text || shown(reason.value), " ", reason.cites?.length ? citations(reason.cites, view) : null);
  const children = reason.children || [];
  if (!children.length) return text;
  return h("details", { open: true }, h("summary", {}, text), h("ul", { class: "why" }, ...children.map((/** @type {any} */ child) => h("li", {}, reasonTree(child, view)))));
}

/** Any JSON as nested lists: for what has no widget of its own. @param {any} value @returns {Node} */
export function plain(value) {
  if (Array.isArray(value)) {
    if (value.every((one) => typeof one !== "object")) return document.createTextNode(shown(value));
    return h("ul", {}, ...value.map((one) => h("li", {}, plain(one))));
  }
  if (value && typeof value === "object")
    return h("dl", {}, ...Object.entries(value).flatMap(([key, inner]) => [h("dt", {}, words(key)), h("dd", {}, plain(inner))]));
  return document.createTextNode(typeof value === "number" && !Number.isInteger(value) ? value.toFixed(3) : shown(value));
}

/** What each choice costs and promises, as the terminal tells it. @param {any[]} choices @param {(name: string, box: HTMLElement) => void} preview what comes into it, one by one */
export function oddsTable(choices, preview) {
  const weighed = choices.some((one) => one.odds);
  const share = (/** @type {number} */ part) => `${(100 * part).toFixed(1)} %`;
  const costs = (/** @type {any} */ one) => Object.entries(one.costs || {}).map(([name, [low, high]]) => `${words(name)} ${low === high ? low : `${low} to ${high}`}`).join(", ");
  const falls = (/** @type {any} */ one) => (one.consequences || []).map((/** @type {any} */ fall) => `${fall.counter} ${fall.what} ${share(fall.chance)}`).join("; ");
  const how = (/** @type {any} */ one) => (one.exact ? "exact" : one.worlds ? `over ${one.worlds} worlds that fit what you know` : "sampled");
  const modifiers = (/** @type {any} */ one) => {
    const box = h("div", { class: "reasons" });
    const details = h("details", { class: "comes-in", ontoggle: () => details.hasAttribute("open") && !box.childNodes.length && preview(one.name, box) }, h("summary", {}, "what comes into it"), box);
    return details;
  };
  const priced = choices.some((one) => costs(one)), fallen = choices.some((one) => falls(one));
  const heads = ["choice", ...(priced ? ["costs"] : []), ...(weighed ? ["better off", "as before", "worse off", "how"] : []), ...(fallen ? ["the dice"] : [])];
  return h("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "odds" }, h("table", { class: "odds" },
    h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, head)))),
    h("tbody", {}, ...choices.map((one) => h("tr", { "data-choice": one.name }, h("th", { scope: "row" }, one.label, modifiers(one)), priced ? h("td", {}, costs(one)) : null,
      ...(!weighed ? [] : one.odds ? [...["better", "same", "worse"].map((key) => h("td", { class: "share" }, share(one.odds[key]))), h("td", {}, how(one))] : [1, 2, 3, 4].map(() => h("td", {}))),
      fallen ? h("td", { class: "falls" }, falls(one)) : null)))));
}

/** The state of the game and of the sides, counters that lie nowhere, and whatever else the view holds. @param {View} view @param {Map<string|null, Counter[]>} stacks @param {(counter: Counter) => void} inspect */
export function statePanel(view, stacks, inspect) {
  const parts = [];
  const game = Object.entries(view.cells.game?.game || {}).filter(([, value]) => !empty(value));
  if (game.length) parts.push(h("h3", {}, "Game"), fieldList("game", game, view));
  const pieces = new Set(Object.keys(view.layout.pieces));
  const places = new Set(Object.entries(view.layout.spaces).flatMap(([name, space]) => [name, .../** @type {any} */ (space).classes]));
  for (const [domain, members] of Object.entries(view.cells)) {
    const sort = view.texts.types?.[domain]?.sort;
    if (domain === "game" || pieces.has(domain) || places.has(domain) || !(sort === "side" || sort === "power")) continue;
    parts.push(h("h3", {}, spaced(domain)), sideTable(domain, members, view));
  }
  const off = stacks.get(null) || [];
  if (off.length) {
    parts.push(h("h3", {}, "Off the map"));
    const groups = new Map();
    for (const counter of off) {
      const where = Object.entries(counter.fields).find(([field, value]) => typeof value === "string" && /^(area|box|on|zone|where)$/.test(field));
      const key = `${counter.side ? view.label(null, counter.side) + ", " : ""}${spaced(counter.domain)}${where ? ", " + view.value(counter.domain, where[0], where[1]) : ""}`;
      groups.set(key, [...(groups.get(key) || []), counter]);
    }
    for (const [key, list] of groups) parts.push(h("h4", {}, key), counterButtons(list, view, inspect));
  }
  for (const [domain, members] of Object.entries(view.cells)) {
    const sort = view.texts.types?.[domain]?.sort;
    if (domain === "game" || pieces.has(domain) || places.has(domain) || sort === "side" || sort === "power") continue;
    const rows = Object.entries(members).map(([name, fields]) => [name, Object.entries(fields).filter(([, value]) => !empty(value))]).filter(([, fields]) => fields.length);
    if (!rows.length) continue;
    parts.push(h("details", {}, h("summary", {}, spaced(domain)),
      ...rows.map(([name, fields]) => h("div", {}, h("h4", {}, name === "*" ? "" : view.label(domain, name)), fieldList(domain, /** @type {any} */ (fields), view)))));
  }
  return parts.length ? parts : [h("p", {}, "Nothing beside the map.")];
}

/** @param {string} domain @param {[string, any][]} fields @param {View} view */
export function fieldList(domain, fields, view) {
  return h("dl", { class: "fields" }, ...fields.flatMap(([name, value]) => [h("dt", {}, words(name)), h("dd", {}, view.value(domain, name, value))]));
}

/** @param {string} domain @param {Record<string, Record<string, any>>} members @param {View} view */
function sideTable(domain, members, view) {
  const names = Object.keys(members).filter((name) => name !== "*");
  const fields = [...new Set(names.flatMap((name) => Object.keys(members[name])))].filter((field) => names.some((name) => !empty(members[name][field])));
  const head = h("tr", {}, h("td", {}), ...names.map((name) => {
    const cell = h("th", { scope: "col" }, view.label(domain, name));
    cell.style.borderBottomColor = view.colour(name);
    return cell;
  }));
  return h("div", { class: "wide", tabindex: 0, role: "region", "aria-label": spaced(domain) }, h("table", {}, h("thead", {}, head), h("tbody", {}, ...fields.map((field) => h("tr", {},
    h("th", { scope: "row" }, words(field)), ...names.map((name) => h("td", {}, view.value(domain, field, members[name][field]))))))));
}

/** @param {Counter[]} counters @param {View} view @param {(counter: Counter) => void} inspect @param {(counter: Counter) => boolean} [lit] */
export function counterButtons(counters, view, inspect, lit) {
  return h("ul", { class: "stack" }, ...counters.map((counter) => {
    const button = h("button", { type: "button", class: `piece${lit?.(counter) ? " lit" : ""}`, onclick: () => inspect(counter) },
      `${counter.names.length > 1 ? counter.names.length + " × " : ""}${counter.label}`,
      counter.marks.length ? h("small", {}, " " + counter.marks.join(", ")) : null);
    button.style.borderLeftColor = view.colour(counter.side);
    return h("li", {}, button);
  }));
}

/** All that is known of a counter: its fields, and what is printed on it. @param {Counter} counter @param {View} view */
export function counterDetails(counter, view) {
  const fields = Object.entries(counter.fields).filter(([name, value]) => name !== "label" && !empty(value));
  const printed = counter.kind && counter.row ? Object.entries(view.texts.kinds?.[counter.kind]?.[counter.row] || {}).filter(([, value]) => !empty(value)) : [];
  return h("div", { class: "details" }, h("h3", {}, `${counter.names.length > 1 ? counter.names.length + " × " : ""}${counter.label}`), fieldList(counter.domain, fields, view),
    printed.length ? h("details", {}, h("summary", {}, "printed"), fieldList(counter.kind || "", /** @type {any} */ (printed), view)) : null);
}
