"use strict";
// What the charts show, computed from points and blocks. A point holds sums from the beginning; the difference of two points is the time
// between them. A block holds the sums of its own rows.

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
export const recentRows = rows => Math.max(1, Math.round(Math.max(share * rows, Math.min(fewest, rows / 4))));

/** windows returns, for each point, the point before its recent rows, or -1 if there are too few rows yet. */
export function windows(points) {
  const least = recentRows(points[points.length - 1].rows - points[0].rows);
  return back(points, (a, b) => b.rows - a.rows >= least);
}

const plus = (a, b) => a.map((v, i) => v + b[i]);

/** totals returns the sums of all rows before each block, and of all rows. rows is the number of rows that were learned. */
export function totals(course, models, tiers, rows) {
  const zeros = n => Array(n).fill(0), scored = course.reduce((n, b) => n + b.rows, 0);
  const list = [{ rows: rows - scored, novelty: zeros(tiers), scores: Array.from({ length: models }, () => zeros(2)) }];
  for (const b of course) {
    const t = list[list.length - 1];
    list.push({ rows: t.rows + b.rows, novelty: plus(t.novelty, b.novelty), scores: t.scores.map((s, m) => plus(s, b.scores[m])) });
  }
  return list;
}

function mean(now, before, root) {
  const weight = now[1] - before[1], sum = now[0] - before[0];
  if (!(weight > 0)) return null;
  return root ? Math.sqrt(Math.max(0, sum / weight)) : sum / weight;
}

/** overall returns a model's score over all rows, total by total. */
export const overall = (sums, model, root) => sums.map(t => mean(t.scores[model], [0, 0], root));

/** recent returns a model's score over the recent rows, total by total. */
export const recent = (sums, from, model, root) =>
  sums.map((t, i) => from[i] < 0 ? null : mean(t.scores[model], sums[from[i]].scores[model], root));

/**
 * rate returns the rows a second around each point, over at least a second in a longer run. It is null around a time in which nobody looked
 * at the learner and it learned nothing, such as while the machine slept.
 */
export function rate(points) {
  const run = points[points.length - 1].t - points[0].t, least = Math.max(Math.min(0.9, run / 4), 0.01 * run, 1e-3);
  const steps = points.map((p, i) => i && p.t - points[i - 1].t), usual = [...steps].sort((a, b) => a - b)[steps.length >> 1];
  const from = back(points, (a, b) => b.t - a.t >= least);
  let begin = 0; // after the last gap
  return points.map((p, i) => {
    if (steps[i] > Math.max(5 * usual, 5) && p.rows === points[i - 1].rows) begin = i;
    return from[i] < begin ? null : (p.rows - points[from[i]].rows) / (p.t - points[from[i]].t);
  });
}

/** novelty returns, for each tier, its share of the recent rows, total by total. */
export function novelty(sums, from) {
  return sums[0].novelty.map((_, k) => sums.map((t, i) => {
    const rows = from[i] < 0 ? [0] : t.novelty.map((n, k) => n - sums[from[i]].novelty[k]), all = rows.reduce((a, b) => a + b, 0);
    return all > 0 ? rows[k] / all : null;
  }));
}

/** loads returns the load at each total since the page began. */
export const loads = (sums, points) => sums.map(t => points.findLast(p => p.rows <= t.rows)?.load ?? null);

/**
 * alarms returns where alarms were raised: {after, rows, says}, in a row after the first and up to the second. told are the rows at which
 * the forecasts did not hold. The others are of fields, and only those since the page began are known.
 */
export function alarms(points, told) {
  const list = told.map(a => ({ after: a.row - 1, rows: a.row, says: a.says }));
  for (let i = 1; i < points.length; i++) {
    const between = { after: points[i - 1].rows, rows: points[i].rows, says: "fields had become worse" };
    const known = told.filter(a => a.row > between.after && a.row <= between.rows).length;
    for (let n = points[i - 1].alarms + known; n < points[i].alarms; n++) list.push(between);
  }
  return list.sort((a, b) => a.rows - b.rows);
}
