"use strict";
// Calibration as an SVG picture and as a table.

import { count, percent } from "./format.js";

const wide = 400, high = 320, left = 60, right = 10, top = 10, bottom = 40;
const x = v => left + v * (wide - left - right);

function add(parent, name, attributes, text) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) e.setAttribute(key, attributes[key]);
  if (text !== undefined) e.textContent = text;
  parent.append(e);
  return e;
}

function frame(place, label, y, ticks, xName, yName) {
  const svg = add(place, "svg", { viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": label });
  for (const v of ticks) {
    add(svg, "line", { class: "grid", x1: left, x2: wide - right, y1: y(v), y2: y(v) });
    add(svg, "text", { x: left - 6, y: y(v) + 4, "text-anchor": "end" }, percent(v, 0));
  }
  for (const v of [0, 0.25, 0.5, 0.75, 1]) add(svg, "text", { x: x(v), y: high - bottom + 16, "text-anchor": ["start", "middle", "end"][Math.ceil(v) + Math.floor(v)] }, percent(v, 0));
  add(svg, "text", { x: x(0.5), y: high - 6, "text-anchor": "middle" }, xName);
  add(svg, "text", { x: 0, y: 0, "text-anchor": "middle", transform: `translate(14 ${y(ticks[ticks.length - 1]) / 2 + y(0) / 2}) rotate(-90)` }, yName);
  return svg;
}

/** reliability draws how often classes came, against their forecast probability. Bars below have the number of rows. */
function reliability(place, c) {
  const y = v => top + (1 - v) * (high - top - bottom), all = c.weight.reduce((a, b) => a + b, 0);
  const svg = frame(place, "how often the class came, by its forecast probability", y, [0, 0.25, 0.5, 0.75, 1], "forecast probability", "share that came");
  c.weight.forEach((n, i) => {
    if (n > 0) add(svg, "rect", { class: "bar", x: x(i / 20) + 1, width: x(0.05) - x(0) - 2, y: y(0.25 * n / all), height: y(0) - y(0.25 * n / all) });
  });
  add(svg, "line", { class: "ideal", x1: x(0), y1: y(0), x2: x(1), y2: y(1) });
  c.weight.forEach((n, i) => {
    if (!(n > 0)) return;
    const p = c.came[i] / n, off = 1.64 * Math.sqrt(Math.max(p * (1 - p), 0.25 / n) / n), at = x(c.forecast[i] / n);
    add(svg, "line", { class: "error", x1: at, x2: at, y1: y(Math.max(0, p - off)), y2: y(Math.min(1, p + off)) });
    const mark = add(svg, "circle", { class: "mark", cx: at, cy: y(p), r: 4 });
    add(mark, "title", {}, `${percent(c.forecast[i] / n)} forecast, ${percent(p)} came, ${count(n)} rows`);
  });
}

/** transform draws where the outcomes lie within their forecasts. All bars are equal if the forecasts are calibrated. */
function transform(place, c) {
  const all = c.weight.reduce((a, b) => a + b, 0), most = Math.max(0.1, 1.1 * Math.max(...c.weight) / Math.max(all, 1));
  const y = v => top + (1 - v / most) * (high - top - bottom), step = most > 0.4 ? 0.2 : most > 0.2 ? 0.1 : most > 0.12 ? 0.05 : 0.02;
  const ticks = Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
  const svg = frame(place, "share of the outcomes, by their place in the forecast", y, ticks, "place of the outcome in its forecast", "share of the rows");
  c.weight.forEach((n, i) => {
    if (!(all > 0)) return;
    const bar = add(svg, "rect", { class: "bar", x: x(i / 20) + 1, width: x(0.05) - x(0) - 2, y: y(n / all), height: y(0) - y(n / all) });
    add(bar, "title", {}, `${percent(i / 20, 0)} to ${percent((i + 1) / 20, 0)}: ${percent(n / all)} of the rows`);
  });
  add(svg, "line", { class: "ideal", x1: x(0), y1: y(0.05), x2: x(1), y2: y(0.05) });
}

/** draw draws the picture anew. */
export function draw(place, c, classes) {
  place.replaceChildren();
  (classes ? reliability : transform)(place, c);
}

/** rows returns the head and the rows of the table. */
export function rows(c, classes) {
  const all = c.weight.reduce((a, b) => a + b, 0), body = [];
  c.weight.forEach((n, i) => {
    if (!(n > 0)) return;
    body.push(classes ? [percent(c.forecast[i] / n), percent(c.came[i] / n), count(n)] : [`${5 * i} to ${5 * i + 5} %`, percent(n / all), count(n)]);
  });
  return { head: classes ? ["forecast", "came", "rows"] : ["place in the forecast", "share", "rows"], body };
}
