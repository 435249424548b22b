"use strict";
// The charts over time, drawn by uPlot. They share one cursor.

import { clock } from "./format.js";

const uPlot = window.uPlot;
const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const cursor = uPlot.sync("run");
const steps = [0.25, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 604800, 2592000];

function axis(more) {
  return {
    stroke: () => colour("--quiet"), font: "12px system-ui, sans-serif",
    grid: { stroke: () => colour("--line"), width: 1 }, ticks: { stroke: () => colour("--line"), width: 1, size: 4 }, ...more,
  };
}

/** alarmLines draws a vertical line at each time that times() returns. */
function alarmLines(u, times) {
  const c = u.ctx;
  c.save();
  c.strokeStyle = colour("--bad");
  c.lineWidth = devicePixelRatio;
  c.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
  for (const t of times()) {
    const x = Math.round(u.valToPos(t, "x", true));
    c.beginPath();
    c.moveTo(x, u.bbox.top);
    c.lineTo(x, u.bbox.top + u.bbox.height);
    c.stroke();
  }
  c.restore();
}

/**
 * chart draws lines over time into a place. lines are uPlot's series, with the name of a colour for stroke and fill.
 * o.range gives the y range from the data; o.values writes the numbers of the y axis; o.point is called with the index
 * under the cursor, or null; o.times gives alarms; o.label returns the text beside the y axis.
 */
export function chart(place, lines, o) {
  const series = lines.map(s => ({
    width: 2, points: { show: false }, spanGaps: false, ...s,
    stroke: s.stroke && (() => colour(s.stroke)), fill: s.fill && (() => colour(s.fill)),
  }));
  const size = () => ({ width: Math.max(place.clientWidth, 120), height: place.clientHeight });
  const plot = new uPlot({
    ...size(), legend: { show: false }, series: [{}, ...series],
    scales: { x: { time: false, range: (u, a, b) => [0, Math.max(b ?? 1, 1)] }, y: { range: o.range } },
    axes: [axis({ size: 30, incrs: steps, space: 64, values: (u, ticks) => ticks.map(t => t % 1 ? "" : clock(t)) }),
      axis({ size: 52, space: 34, label: o.label, labelSize: 18, labelFont: "12px system-ui, sans-serif", values: (u, ticks) => ticks.map(o.values) })],
    cursor: { drag: { x: false, y: false }, sync: { key: cursor.key }, y: false, points: { show: o.marks ?? true, size: 7 } },
    hooks: {
      setCursor: [u => o.point?.(u.cursor.idx ?? null)],
      draw: [u => o.times && alarmLines(u, o.times)],
    },
  }, [[], ...lines.map(() => [])], place);
  new ResizeObserver(() => plot.setSize(size())).observe(place);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => plot.redraw(false, true));
  return plot;
}

/** around is a range that holds most values: a few wild ones at the beginning do not flatten the rest. */
export function around(columns) {
  const values = columns.flat().filter(v => v !== null).sort((a, b) => a - b);
  if (!values.length) return [0, 1];
  const wild = Math.floor(0.005 * values.length), low = values[wild], high = values[values.length - 1 - wild];
  const pad = Math.max(0.08 * (high - low), 0.02 * Math.abs(high), 1e-6);
  return [Math.max(low - pad, low >= 0 ? 0 : -Infinity), high + pad];
}
