"use strict";
// The charts over time and over rows, drawn by uPlot. They share one cursor.

import { clock, ticks } from "./format.js";

const uPlot = window.uPlot;
const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const cursor = uPlot.sync("run");
const seconds = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 604800, 2592000];
const whole = Array.from({ length: 45 }, (_, i) => [1, 2, 5][i % 3] * 10 ** Math.floor(i / 3));

/** byTime and byRows are x axes. */
export const byTime = { incrs: seconds, values: ticks => ticks.map(clock) };
export const byRows = { incrs: whole, values: ticks, label: "rows learned" };

/** counts is a y axis of whole numbers. */
export const counts = { incrs: whole };

const named = { labelSize: 18, labelFont: "12px system-ui, sans-serif" };

function axis(more) {
  return {
    stroke: () => colour("--quiet"), font: "12px system-ui, sans-serif",
    grid: { stroke: () => colour("--line"), width: 1 }, ticks: { stroke: () => colour("--line"), width: 1, size: 4 }, ...more,
  };
}

/** alarmLines draws a vertical line at each place of the x axis that places() returns. */
function alarmLines(u, places) {
  const c = u.ctx;
  c.save();
  c.strokeStyle = colour("--bad");
  c.lineWidth = devicePixelRatio;
  c.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
  for (const place of places()) {
    const x = Math.round(u.valToPos(place, "x", true));
    c.beginPath();
    c.moveTo(x, u.bbox.top);
    c.lineTo(x, u.bbox.top + u.bbox.height);
    c.stroke();
  }
  c.restore();
}

/** alone returns the places of values between two gaps: no line shows them. */
const alone = values => values.flatMap((v, i) => v !== null && values[i - 1] == null && values[i + 1] == null ? [i] : []);

/**
 * chart draws lines over time or rows, its x axis, into a place. lines are uPlot's series, with the name of a colour for stroke and fill.
 * o.from() is where the x axis begins; o.range gives the y range from the data; o.y changes the y axis; o.point is called with the index
 * under the cursor, or null; o.alarms gives places of alarms; o.label returns the text beside the y axis.
 */
export function chart(place, x, lines, o) {
  const series = lines.map(s => ({
    width: 2, points: { show: false, filter: (u, i) => alone(u.data[i]) }, spanGaps: false, ...s,
    stroke: s.stroke && (() => colour(s.stroke)), fill: s.fill && (() => colour(s.fill)),
  }));
  const size = () => ({ width: Math.max(place.clientWidth, 120), height: place.clientHeight });
  const plot = new uPlot({
    ...size(), legend: { show: false }, series: [{}, ...series],
    scales: { x: { time: false, range: (u, a, b) => [o.from?.() ?? 0, Math.max(b ?? 1, (o.from?.() ?? 0) + 1)] }, y: { range: o.range } },
    axes: [axis({ size: 30, space: 64, ...named, label: x.label, incrs: x.incrs, values: (u, list) => x.values(list) }),
      axis({ size: (u, list) => 16 + 7 * Math.max(5, ...(list ?? []).map(text => text.length)), space: 34,
        ...named, label: o.label, values: (u, list) => ticks(list), ...o.y })],
    cursor: { drag: { x: false, y: false }, sync: x === byRows ? { key: cursor.key } : undefined, y: false, points: { show: o.marks ?? true, size: 7 } },
    hooks: {
      setCursor: [u => o.point?.(u.cursor.idx ?? null)],
      draw: [u => o.alarms && alarmLines(u, o.alarms)],
    },
  }, [[], ...lines.map(() => [])], place);
  new ResizeObserver(() => plot.setSize(size())).observe(place);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => plot.redraw(false, true));
  return plot;
}

/** picture saves a chart under a name. Above it are words, each after a square of its colour if it has one. */
export function picture(plot, name, words) {
  const from = plot.root.querySelector("canvas"), to = document.createElement("canvas"), c = to.getContext("2d"), k = devicePixelRatio;
  const places = [], most = from.width - 8 * k;
  c.font = `${12 * k}px system-ui, sans-serif`;
  let x = 8 * k, y = 16 * k;
  for (const [text, ink] of words) {
    const width = c.measureText(text).width + (ink ? 14 * k : 0);
    if (x + width > most) [x, y] = [8 * k, y + 18 * k];
    places.push([x, y]);
    x += width + 16 * k;
  }
  [to.width, to.height] = [from.width, from.height + y + 8 * k]; // this clears the canvas and its font
  [c.fillStyle, c.font] = [colour("--card"), `${12 * k}px system-ui, sans-serif`];
  c.fillRect(0, 0, to.width, to.height);
  words.forEach(([text, ink], i) => {
    const [x, y] = places[i];
    if (ink) {
      c.fillStyle = colour(ink);
      c.fillRect(x, y - 10 * k, 10 * k, 10 * k);
    }
    c.fillStyle = colour("--ink");
    c.fillText(text, x + (ink ? 14 * k : 0), y);
  });
  c.drawImage(from, 0, y + 8 * k);
  const link = document.createElement("a");
  [link.href, link.download] = [to.toDataURL(), name];
  link.click();
}

/** around is a range that holds most values: a few wild ones at the beginning do not flatten the rest. */
export function around(columns) {
  const values = columns.flat().filter(v => v !== null).sort((a, b) => a - b);
  if (!values.length) return [0, 1];
  const wild = Math.floor(0.005 * values.length), low = values[wild], high = values[values.length - 1 - wild];
  const pad = Math.max(0.08 * (high - low), 0.02 * Math.abs(high)) || 1;
  return [Math.max(low - pad, low >= 0 ? 0 : -Infinity), high + pad];
}
