// @ts-check
/** Elements by one function.  Texts go in as text only: nothing that a person typed is ever read as markup. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {Element} node
 * @param {Record<string, any>} attributes
 * @param {Array<Node|string|null|undefined|false>} children
 */
function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of children) if (child) node.append(child);
}

/**
 * @param {string} name
 * @param {Record<string, any>} [attributes]
 * @param {...(Node|string|null|undefined|false)} children
 * @returns {HTMLElement}
 */
export function h(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  fill(node, attributes, children);
  return node;
}

/**
 * @param {string} name
 * @param {Record<string, any>} [attributes]
 * @param {...(Node|string|null|undefined|false)} children
 * @returns {SVGElement}
 */
export function s(name, attributes = {}, ...children) {
  const node = /** @type {SVGElement} */ (document.createElementNS(SVG, name));
  fill(node, attributes, children);
  return node;
}

/** @param {string} id @returns {HTMLElement} */
export function el(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element ${id}`);
  return found;
}

/** Milliseconds in which sentences are put together, and how many are said at most. */
const TOGETHER = 40;
const MOST_SAID = 12;
/** @type {string[]} */
const said = [];
let blank = false;
/** Says a sentence to a screen reader; a blank at the end alternates so that equal sentences are read again. @param {string} text */
export function announce(text) {
  said.push(text);
  if (said.length > 1) return;
  // What is said at once is one text: each would cut the one before it short.
  setTimeout(() => {
    blank = !blank;
    el("announce").textContent = said.splice(0).slice(-MOST_SAID).join(". ") + (blank ? "\u00a0" : "");
  }, TOGETHER);
}

/** A window over the page. @param {string} title @param {Node[]} parts */
export function dialog(title, ...parts) {
  const box = /** @type {HTMLDialogElement} */ (h("dialog", { class: "entrance", "aria-label": title }, h("h2", {}, title), ...parts,
    h("form", { method: "dialog" }, h("button", {}, "Close"))));
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
}

/** @param {string} name */
export function words(name) {
  return name.replace(/_/g, " ");
}

/** The name of a domain in words: `SoftHits` is soft hits. @param {string} name */
export function spaced(name) {
  return words(name).replace(/([a-z])(?=[A-Z])/g, "$1 ").toLowerCase();
}

/** A value of a field in words. @param {any} value @returns {string} */
export function shown(value) {
  if (value === null || value === undefined) return "none";
  if (value === true) return "yes";
  if (value === false) return "no";
  if (Array.isArray(value)) return value.length ? value.map(shown).join(", ") : "none";
  if (typeof value === "object")
    return Object.entries(value).map(([key, inner]) => `${words(key)} ${shown(inner)}`).join(", ") || "none";
  return String(value);
}

/** Whether a value says nothing: false, 0, none, an empty list. @param {any} value */
export function empty(value) {
  return value === null || value === undefined || value === false || value === 0 ||
    (typeof value === "object" && Object.keys(value).length === 0);
}
