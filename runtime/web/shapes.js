// @ts-check
/** Outlines of places: as a path, and what lies inside them. */

/** @param {any} cell */
export function outline(cell) {
  return [cell.polygon, ...(cell.rings || [])].map((ring) => `M${ring.map((/** @type {number[]} */ p) => p.join(" ")).join("L")}Z`).join("");
}

/** Whether a point lies in a place: in an odd number of its outlines. @param {any} cell @param {number} x @param {number} y */
export function within(cell, x, y) {
  return [cell.polygon, ...(cell.rings || [])].filter((ring) => inside(ring, x, y)).length % 2 === 1;
}

/** @param {number[][]} polygon @param {number} x @param {number} y */
function inside(polygon, x, y) {
  let odd = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [xi, yi] = polygon[i], [xj, yj] = polygon[j];
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) odd = !odd;
  }
  return odd;
}
