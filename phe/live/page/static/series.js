"use strict";
// What the charts show, computed from points. A point holds sums from the beginning; the difference of two points is the time
// between them.

/** back returns, for each point, the index of the latest point before it that is far enough away, or -1. */
function back(points, far) {
  const places = [];
  let from = -1;
  for (let i = 0; i < points.length; i++) {
    while (from + 1 < i && far(points[from + 1], points[i])) from++;
    places.push(from);
  }
  return places;
}

const fewest = 500, share = 0.04;

/** recentRows is the number of rows that a recent score covers at least: a part of the run, so that its noise stays small. */
export function recentRows(points) {
  const last = points[points.length - 1];
  return Math.max(fewest, Math.round(share * (last.rows - points[0].rows)));
}

/** windows returns, for each point, the point before its recent rows, or -1 if there are too few rows yet. */
export function windows(points) {
  const least = recentRows(points);
  return back(points, (a, b) => b.rows - a.rows >= least);
}

function mean(now, before, root) {
  if (!now) return null;
  const weight = now[1] - (before ? before[1] : 0), sum = now[0] - (before ? before[0] : 0);
  if (!(weight > 0)) return null;
  return root ? Math.sqrt(Math.max(0, sum / weight)) : sum / weight;
}

/** overall returns a model's score over all rows, point by point. */
export const overall = (points, model, root) => points.map(p => mean(p.scores[model], null, root));

/** recent returns a model's score over the recent rows, point by point. */
export function recent(points, from, model, root) {
  return points.map((p, i) => {
    const before = from[i] < 0 ? null : points[from[i]].scores[model];
    return before ? mean(p.scores[model], before, root) : null;
  });
}

/** covered returns the share of rows inside their interval. */
export const covered = p => mean(p.covered, null, false);

/** rate returns the rows a second around each point, over at least a second. */
export function rate(points) {
  const last = points[points.length - 1];
  const least = Math.max(0.9, 0.01 * (last.t - points[0].t));
  const from = back(points, (a, b) => b.t - a.t >= least);
  return points.map((p, i) => from[i] < 0 ? null : (p.rows - points[from[i]].rows) / (p.t - points[from[i]].t));
}

/** novelty returns, for each tier, its share of the recent rows, point by point. */
export function novelty(points, from) {
  const tiers = points[0].novelty.map(() => []);
  points.forEach((p, i) => {
    const before = from[i] < 0 ? null : points[from[i]].novelty;
    const rows = p.novelty.map((n, k) => n - (before ? before[k] : 0));
    const all = rows.reduce((a, b) => a + b, 0);
    rows.forEach((n, k) => tiers[k].push(before && all > 0 ? n / all : null));
  });
  return tiers;
}

/** alarms returns the places where an alarm was raised: {t, rows, says}. Only those since the page began are known. */
export function alarms(points) {
  const list = [];
  for (let i = 1; i < points.length; i++) {
    let changes = points[i].changes - points[i - 1].changes;
    for (let n = points[i - 1].alarms; n < points[i].alarms; n++) {
      const says = changes-- > 0 ? "the forecasts did not hold" : "forecasts or fields had become worse";
      list.push({ t: points[i].t, rows: points[i].rows, says });
    }
  }
  return list;
}
