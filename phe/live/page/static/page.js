"use strict";
// The page of a running stream. The server sends events; each has the points that this page lacks, and the state as it is now.
// All text goes through textContent: an item may be called <script>.

import { clock, count, deviation, percent, score, short, signed } from "./format.js";
import { alarms, covered, novelty, overall, rate, recent, recentRows, windows } from "./series.js";
import { around, chart } from "./charts.js";
import * as calibration from "./calibration.js";

const $ = id => document.getElementById(id);
const say = (id, text) => { if ($(id).textContent !== text) $(id).textContent = text; };
const last = list => list[list.length - 1];

let kept = []; // the points that the server keeps
let points = []; // those, and the newest point
let now = null;
let showRecent = true;
let shown = null; // what the charts show
const dashes = [[], [8, 4], [3, 3], [12, 4, 2, 4]];
const tiers = ["0 times (new)", "1–2 times", "3–10 times", "more than 10"];

// ---- charts ----

const scores = chart($("scorePlot"), dashes.map((dash, i) => ({ stroke: "--m" + i, dash, width: i ? 1.5 : 2.5 })), {
  label: () => now?.metric ?? "", values: v => +v.toPrecision(4), range: () => shown ? around(shown.scores) : [0, 1], point: tellScore, times: () => shown ? shown.alarms.map(a => a.t) : [],
});
const rates = chart($("ratePlot"), [{ stroke: "--m0" }], {
  values: short, range: (u, low, high) => [0, Math.max(1.1 * (high ?? 1), 1)], point: tellRate,
});
// Each band reaches from 0 to its sum; later ones cover it. So the largest sum comes first.
const bands = [3, 2, 1, 0];
const news = chart($("newPlot"), [...bands.map(i => ({ fill: "--n" + i, width: 0 })), { stroke: "--load", dash: [6, 4] }], {
  values: v => percent(v, 0), range: () => [0, 1], point: tellNew, marks: false,
});

function drawCharts() {
  const from = windows(points), t = points.map(p => p.t);
  const root = now.root, models = now.models.map((_, i) => i);
  const tier = novelty(points, from);
  shown = {
    recent: models.map(i => recent(points, from, i, root)), overall: models.map(i => overall(points, i, root)),
    rate: rate(points), tier, alarms: alarms(points),
  };
  shown.scores = showRecent ? shown.recent : shown.overall;
  scores.setData([t, ...shown.scores]);
  rates.setData([t, shown.rate]);
  const sums = bands.map(i => t.map((_, j) => tier[0][j] === null ? null : tier.slice(0, i + 1).reduce((sum, one) => sum + one[j], 0)));
  news.setData([t, ...sums, points.map(p => p.load)]);
}

// ---- what the cursor is on, or else the newest point ----

const at = i => i === null || !points[i] ? points.length - 1 : i;
const when = i => i === null ? "" : `at ${clock(points[at(i)].t)}, row ${count(points[at(i)].rows)}`;

function tellScore(i) {
  if (!shown) return;
  const rows = recentRows(points), j = at(i);
  say("scoreNote", i === null ? `${now.metric}; lower is better. Every forecast was made before its row was learned. Recent rows are the last ${count(rows)} or so.` : when(i));
  const body = $("models").tBodies[0];
  now.models.forEach((_, m) => {
    const row = body.rows[m];
    row.hidden = !points.some(p => p.scores[m]);
    row.cells[1].textContent = score(shown.recent[m][j]);
    row.cells[2].textContent = score(shown.overall[m][j]);
  });
}

function tellRate(i) {
  if (shown) say("rateRead", i === null ? "Over the last second or more" : `${count(shown.rate[i])} ${when(i)}`);
}

function tellNew(i) {
  if (!shown) return;
  const j = at(i), key = $("newKey").children;
  tiers.forEach((_, k) => { key[k].lastElementChild.textContent = percent(shown.tier[k][j]); });
  key[tiers.length].lastElementChild.textContent = percent(points[j].load);
  say("newRead", i === null ? "Recent rows, by how often their rarest item had been learned before" : when(i));
}

// ---- lists ----

function element(name, text, kind) {
  const e = document.createElement(name);
  if (text !== undefined) e.textContent = text;
  if (kind) e.className = kind;
  return e;
}

/** itemCell shows an item and its column. An item's name may hold anything, right-to-left text among it. */
function itemCell(column, name) {
  const cell = element("td"), bdi = element("bdi", name === "" ? "(empty)" : name);
  cell.title = `${column} = ${name}`;
  cell.append(bdi, " ", element("small", column));
  return cell;
}

function fill(table, rows, width, empty) {
  const body = table.tBodies[0];
  if (!rows.length) {
    const row = element("tr"), cell = element("td", empty, "empty");
    cell.colSpan = width;
    row.append(cell);
    rows = [row];
  }
  body.replaceChildren(...rows);
}

function row(...cells) {
  const r = element("tr");
  r.append(...cells);
  return r;
}

function drawLists() {
  fill($("newest"), (now.newest ?? []).map(n => row(itemCell(n.column, n.name), element("td", count(n.row), "n"))), 2, "none yet");
  fill($("uncertain"), (now.uncertain ?? []).map(u => {
    const effect = element("td", u.class ? percent(u.effect) : `${signed(u.effect)} ± ${deviation(u.spread)}`, "n");
    if (u.class) effect.title = u.class;
    return row(itemCell(u.column, u.name), element("td", count(u.count), "n"), effect);
  }), 3, "none yet");
  const odd = now.fields ?? [];
  $("odd").hidden = !odd.length;
  $("fields").replaceChildren(...odd.map(f => element("li", f)));
  drawScales();
  for (const id of ["uncertain", "scales"]) $(id).closest("section").hidden = now.kind === "count"; // a count's evidence has no effects
}

function drawScales() {
  const columns = now.columns ?? [], most = Math.max(1e-9, ...columns.map(c => c.scale ?? 0));
  const list = columns.map(c => {
    const li = element("li"), name = element("bdi", c.name), track = element("span", undefined, "track"), bar = element("span", undefined, "fill");
    name.title = c.name;
    bar.style.width = 100 * (c.scale ?? 0) / most + "%";
    track.append(bar);
    const value = element("span", c.scale >= 100 ? score(c.scale) : (c.scale ?? 0).toPrecision(3), "value");
    value.title = `± ${score(c.off)}`;
    li.append(name, track, value);
    return li;
  });
  if (now.left > 0) list.push(element("li", `and ${count(now.left)} more columns`));
  $("scales").replaceChildren(...list);
}

// ---- figures and words ----

const words = { learning: "learning", ended: "ended", stopped: "stopped" };

function drawFigures() {
  const p = last(points), classes = now.kind === "classes";
  say("title", now.title || "stream");
  say("target", "forecasts " + now.target);
  say("rows", count(p.rows));
  say("rate", now.state === "learning" ? count(last(shown.rate)) : count((p.rows - points[0].rows) / Math.max(p.t - points[0].t, 1e-3)));
  say("elapsed", clock(p.t));
  say("metric", now.state === "learning" ? now.metric : "final " + now.metric);
  say("score", score(last(shown.overall[0])));
  say("base", score(last(shown.overall[3])));
  say("sureName", classes ? "accuracy" : "90 % holds");
  say("sure", percent(classes ? now.accuracy : covered(p)));
  say("cost", `A look at the learner takes ${(1000 * now.cost).toFixed(1)} ms. The page keeps such looks under a hundredth of the time.`);
  $("progress").hidden = !(now.progress >= 0);
  if (now.progress >= 0) $("progress").value = now.progress;
  document.title = `${count(p.rows)} rows – ${now.title || "phe stream"}`;
  $("scorePlot").setAttribute("aria-label", `${now.metric} over time; of all rows it is ${score(last(shown.overall[0]))}, the base rate's ${score(last(shown.overall[3]))}`);
}

function drawWatch() {
  const p = last(points);
  say("alarms", count(p.alarms));
  say("changes", count(p.changes));
  say("waiting", count(now.waiting));
  say("dropped", count(now.dropped));
  say("unlabelled", count(now.unlabelled));
  say("load", percent(p.load));
  say("loadNote", p.load > 0.6 ? "With so many counters in use, many new items look known. More memory helps." : "");
  const list = shown.alarms.slice(-5).reverse().map(a =>
    element("li", `${clock(a.t)}, near row ${count(a.rows)}: ${a.says}`));
  $("alarmList").replaceChildren(...list);
}

const effects = {
  classes: "Effect on the logit of the probability, ± its standard deviation",
  number: "Effect on the forecast mean, ± its standard deviation",
  count: "Effect on the forecast, ± its standard deviation",
};

function drawCalibration() {
  const classes = now.kind === "classes", p = last(points);
  calibration.draw($("fit"), now.calibration, classes);
  const t = calibration.rows(now.calibration, classes), table = $("fitTable");
  table.tHead.rows[0].replaceChildren(...t.head.map(h => element("th", h, "n")));
  fill(table, t.body.map(cells => row(...cells.map(c => element("td", c, "n")))), 3, "none yet");
  say("fitNote", classes ? `Mean distance from the diagonal ${score(now.calibration.error)}. Bars are rows; whiskers hold 90 %.`
    : `The 90 % interval held ${percent(covered(p))} of the outcomes. Bars are equal if forecasts are calibrated.`);
  const several = (now.uncertain ?? []).some(u => u.class);
  say("effectNote", several ? "Effect on the probability of the class that gains most" : effects[now.kind] ?? effects.number);
}

function drawState(lost) {
  const pill = $("state");
  pill.className = "pill " + (lost && now?.state !== "ended" ? "lost" : now?.state ?? "");
  pill.textContent = lost ? (now?.state === "ended" ? "ended" : "no connection") : words[now?.state] ?? "connecting";
}

function draw() {
  drawCharts();
  drawFigures();
  drawLists();
  drawCalibration();
  drawWatch();
  drawState(false);
  tellScore(scores.cursor.idx ?? null);
  tellRate(rates.cursor.idx ?? null);
  tellNew(news.cursor.idx ?? null);
}

// ---- the parts that stay ----

function begin() {
  const models = ["this model", "without interactions", "numbers for each item", "base rate"];
  fill($("models"), models.map((name, i) => {
    const cell = element("td"), ns = "http://www.w3.org/2000/svg", svg = document.createElementNS(ns, "svg"), line = document.createElementNS(ns, "line");
    svg.setAttribute("class", "swatch");
    svg.setAttribute("aria-hidden", "true");
    for (const [key, value] of Object.entries({ x1: 0, x2: 30, y1: 6, y2: 6, "stroke-dasharray": dashes[i].join(" ") })) line.setAttribute(key, value);
    line.style.stroke = `var(--m${i})`;
    svg.append(line);
    cell.append(svg, name);
    return row(cell, element("td", "–", "n"), element("td", "–", "n"));
  }), 3, "");
  $("newKey").replaceChildren(...[...tiers, "counters in use"].map((name, i) => {
    const li = element("li"), box = element("i");
    box.style.background = `var(${i < tiers.length ? "--n" + i : "--load"})`;
    li.append(box, name, " ", element("b", "–"));
    return li;
  }));
  for (const [id, value] of [["recent", true], ["overall", false]]) {
    $(id).addEventListener("click", () => {
      showRecent = value;
      $("recent").setAttribute("aria-pressed", String(value));
      $("overall").setAttribute("aria-pressed", String(!value));
      if (now) draw();
    });
  }
  for (const [id, label] of [["scorePlot", "score over time"], ["ratePlot", "rows a second over time"], ["newPlot", "shares of rows by novelty over time"]]) {
    $(id).setAttribute("role", "img");
    $(id).setAttribute("aria-label", label);
  }
}

// ---- events ----

let source = null, waiting = false, came = null;

function take(event) {
  const e = JSON.parse(event.data);
  kept.length = e.from;
  kept.push(...e.points);
  points = e.tip.t > last(kept).t ? [...kept, e.tip] : kept;
  now = e.now;
  came = new Date();
  $("lost").hidden = true;
  if (!waiting) requestAnimationFrame(() => { waiting = false; draw(); });
  waiting = true;
}

/** lost tells that the program is gone, or cannot be reached. The browser tries again by itself. */
function lost() {
  const ended = now?.state === "ended";
  $("lost").className = ended ? "calm" : "";
  $("lost").textContent = ended ? "The stream has ended and the program is gone. This is its final state."
    : "No connection to the program. " + (came ? `This is its state at ${came.toLocaleTimeString("en-GB")}. ` : "") + "Trying again every two seconds.";
  $("lost").hidden = false;
  drawState(true);
  if (source?.readyState === EventSource.CLOSED) setTimeout(follow, 2000); // an answer that is no stream: the browser has given up
}

function follow() {
  source?.close();
  source = new EventSource("events");
  source.onmessage = take;
  source.onerror = lost;
}

// Nobody looks at a hidden page, so it costs the learner nothing. It gets all that it missed when it is shown again.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) source?.close(); else follow();
});

begin();
follow();
