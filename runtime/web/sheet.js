// @ts-check
/** What is printed: the static layers of the map as a picture that is painted once and then only copied, with the colours of who
 *  holds what between the ground and the names.  Moving the map moves the picture; nothing of it is a node of the page. */

import { h } from "./dom.js";

/** Points of the kept picture: as sharp as that allows, and no more memory than a phone has. */
const MOST_POINTS = 9e6;
const SHARPEST = 3;
/** The side of a tile of a pattern. */
const TILE = 6;

/** @type {WeakMap<Path2D, HTMLCanvasElement>} */
const tiles = new WeakMap();
/** One tile of a side's pattern, twice as large as on its counters. @param {Path2D} shapes */
function tile(shapes) {
  const known = tiles.get(shapes);
  if (known) return known;
  const made = document.createElement("canvas");
  made.width = made.height = 2 * TILE;
  const pen = made.getContext("2d");
  pen?.scale(2, 2);
  pen?.fill(shapes);
  tiles.set(shapes, made);
  return made;
}

export class Sheet {
  /** @param {Document} drawing @param {number} width @param {number} height */
  constructor(drawing, width, height) {
    this.width = width;
    this.height = height;
    this.canvas = /** @type {HTMLCanvasElement} */ (h("canvas", { class: "sheet", "aria-hidden": "true" }));
    this.fine = Math.min(SHARPEST, Math.sqrt(MOST_POINTS / (width * height)));
    /** @type {HTMLCanvasElement|null} */
    this.ground = null;
    /** @type {HTMLCanvasElement|null} */
    this.names = null;
    /** @type {[string, Path2D, number, Path2D|null][]} colour, outline, how much of it shows, shapes of the pattern over it */
    this.holders = [];
    /** Called when the pictures are there. */
    this.onready = () => {};
    this.ready = this.load(drawing);
  }

  /** @param {Document} drawing */
  async load(drawing) {
    const root = /** @type {Element} */ (drawing.documentElement.cloneNode(true));
    root.setAttribute("width", String(this.width));
    root.setAttribute("height", String(this.height));
    const names = [...root.children].filter((node) => node.classList.contains("names"));
    const above = /** @type {Element} */ (root.cloneNode(false));
    for (const node of names) above.append(node);
    [this.ground, this.names] = await Promise.all([this.painted(root), names.length ? this.painted(above) : null]);
    this.onready();
  }

  /** @param {Element} root @returns {Promise<HTMLCanvasElement>} */
  async painted(root) {
    const url = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(root)], { type: "image/svg+xml" }));
    try {
      const image = new Image();
      image.src = url;
      await image.decode();
      const made = document.createElement("canvas");
      made.width = Math.ceil(this.width * this.fine);
      made.height = Math.ceil(this.height * this.fine);
      made.getContext("2d")?.drawImage(image, 0, 0, made.width, made.height);
      return made;
    } finally {
      URL.revokeObjectURL(url);
    }
  }

  /** Copies what is in sight. @param {number} left @param {number} top @param {number} wide @param {number} high @param {number} x @param {number} y @param {number} scale */
  draw(left, top, wide, high, x, y, scale) {
    const { canvas } = this;
    const dense = Math.min(2, globalThis.devicePixelRatio || 1);
    canvas.style.left = `${left}px`;
    canvas.style.top = `${top}px`;
    canvas.style.width = `${wide}px`;
    canvas.style.height = `${high}px`;
    if (canvas.width !== Math.round(wide * dense)) canvas.width = Math.round(wide * dense);
    if (canvas.height !== Math.round(high * dense)) canvas.height = Math.round(high * dense);
    const pen = canvas.getContext("2d", { alpha: true });
    if (!pen) return;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.setTransform(dense, 0, 0, dense, -left * dense, -top * dense);
    // Only the part of the picture that is in sight, in points of the map.
    const x0 = Math.max(0, (left - x) / scale), y0 = Math.max(0, (top - y) / scale);
    const x1 = Math.min(this.width, (left + wide - x) / scale), y1 = Math.min(this.height, (top + high - y) / scale);
    if (x1 <= x0 || y1 <= y0) return;
    const copy = (/** @type {HTMLCanvasElement|null} */ from) => from && pen.drawImage(from, x0 * this.fine, y0 * this.fine, (x1 - x0) * this.fine, (y1 - y0) * this.fine, x + x0 * scale, y + y0 * scale, (x1 - x0) * scale, (y1 - y0) * scale);
    copy(this.ground);
    if (this.holders.length) {
      pen.save();
      pen.translate(x, y);
      pen.scale(scale, scale);
      pen.strokeStyle = "#6b6350";
      for (const [colour, outline, share, shapes] of this.holders) {
        pen.globalAlpha = share;
        pen.fillStyle = colour;
        pen.fill(outline, "evenodd");
        if (share > 0.5) pen.stroke(outline);
        const pattern = shapes && pen.createPattern(tile(shapes), "repeat");
        if (!pattern) continue;
        pen.globalAlpha = 0.09;
        pen.fillStyle = pattern;
        pen.fill(outline, "evenodd");
      }
      pen.restore();
    }
    copy(this.names);
  }
}
