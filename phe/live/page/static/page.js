"use strict";
// The page of a running stream. The server sends events; each has the points that this page lacks, and the state as it is now.
// All text goes through textContent: an item may be called <script>.

import { clock, count, deviation, percent, score, signed, ticks } from "./format.js";
import { alarms, loads, novelty, overall, rate, recent, recentRows, totals, windows } from "./series.js";
import { around, byRows, byTime, chart, counts, picture } from "./charts.js";
import * as calibration from "./calibration.js";

const $ = id => document.getElementById(id);
const say = (id, text) => { if ($(id).textContent !== text) $(id).textContent = text; };
const last = list => list[list.length - 1];

let kept = []; // the points that the server keeps
let points = []; // those, and the newest point
let course = []; // the score in blocks of rows, from the stream's first row on
let now = null;
let showRecent = true;
let ofBase = false; // the unit of scores: the base rate's
let shown = null; // what the charts show
const dashes = [[], [8, 4], [3, 3], [12, 4, 2, 4]];
const tiers = ["0 times (new)", "1–2 times", "3–10 times", "more than 10"];

// ---- charts ----

const scores = chart($("scorePlot"), byRows, dashes.map((dash, i) => ({ stroke: "--m" + i, dash, width: i ? 1.5 : 2.5 })), {
  label: () => unit(), y: { values: (u, list) => ofBase ? ticks(list.map(v => 100 * v)).map(text => text + " %") : ticks(list) }, range: () => shown ? around(shown.scores) : [0, 1], point: tellScore,
  alarms: () => shown ? shown.alarms.filter(a => a.rows - a.after <= 0.02 * last(points).rows).map(a => a.rows) : [], // else nobody knows where
});
const rates = chart($("ratePlot"), byTime, [{ stroke: "--m0" }], {
  y: counts, range: (u, low, high) => [0, Math.max(1.1 * (high ?? 1), 1)], point: tellRate,
});
// Each band reaches from 0 to its sum; later ones cover it. So the largest sum comes first.
const bands = [3, 2, 1, 0];
const loadLine = { stroke: "--load", dash: [6, 4], points: { show: false } };
const news = chart($("newPlot"), byRows, [...bands.map(i => ({ fill: "--n" + i, width: 0 })), loadLine], {
  y: { values: (u, list) => list.map(v => percent(v, 0)) }, from: () => shown?.first ?? 0, range: () => [0, 1], point: tellNew, marks: false,
});

const unit = () => ofBase ? `${now.metric} in % of the base rate's` : now?.metric ?? "";
const inUnit = v => ofBase ? percent(v) : score(v);

/** plot shows a chart that has a line to draw. It returns false for one that would be empty. */
function plot(chart, x, ...lines) {
  const drawn = lines[0].filter(v => v !== null).length > 1;
  chart.root.parentElement.hidden = !drawn;
  chart.setData([x, ...lines]);
  return drawn;
}

function drawCharts() {
  const root = now.root, models = now.models.map((_, i) => i), sums = totals(course, models.length, tiers.length, last(points).rows);
  const from = windows(sums), tier = novelty(sums, from), x = sums.map(t => t.rows);
  shown = {
    sums, tier, first: x[Math.max(0, sums.findIndex(t => t.novelty.some(n => n > 0)) - 1)], rate: rate(points),
    alarms: alarms(points, now.alarms ?? []),
    recent: models.map(i => recent(sums, from, i, root)), overall: models.map(i => overall(sums, i, root)),
  };
  [shown.all, shown.base] = [0, 3].map(i => last(shown.overall[i]));
  if (ofBase) for (const name of ["recent", "overall"]) {
    const base = shown[name][3];
    shown[name] = shown[name].map(list => list.map((v, j) => v !== null && base[j] > 0 ? v / base[j] : null));
  }
  shown.scores = showRecent ? shown.recent : shown.overall;
  const drawn = plot(scores, x, ...shown.scores);
  document.querySelector(".switch").hidden = $("unit").parentElement.hidden = !drawn;
  $("models").hidden = $("h-new").closest("section").hidden = last(x) === 0;
  $("h-rate").closest("section").hidden = !plot(rates, points.map(p => p.t), shown.rate) || !shown.rate.some(v => v > 0);
  const bandSums = bands.map(i => x.map((_, j) => tier[0][j] === null ? null : tier.slice(0, i + 1).reduce((sum, one) => sum + one[j], 0)));
  shown.news = plot(news, x, ...bandSums, loads(sums, points));
  $("newPicture").parentElement.hidden = !shown.news;
}

// ---- what the cursor is on, or else the newest point ----

const at = (i, list) => i === null || !list[i] ? list.length - 1 : i;

function tellScore(i) {
  if (!shown) return;
  const j = at(i, shown.sums), rows = shown.sums[j].rows;
  const waits = now.waiting > 0 ? ` ${count(now.waiting)} forecasts wait for their labels.` : "";
  say("scoreNote", rows === 0 ? "No row has been learned yet." + waits : i !== null ? `after row ${count(rows)}`
    : `${unit()}; lower is better. Every forecast was made before its row was learned. Recent rows are the ${rows < 2000 ? "newest quarter" : `last ${count(recentRows(rows))} or so`}.`);
  const body = $("models").tBodies[0];
  now.models.forEach((name, m) => {
    const row = body.rows[m];
    row.hidden = last(shown.overall[m]) === null;
    row.cells[0].lastChild.textContent = name;
    row.cells[1].textContent = inUnit(shown.recent[m][j]);
    row.cells[2].textContent = inUnit(shown.overall[m][j]);
  });
}

function tellRate(i) {
  if (!shown) return;
  const p = points[at(i, points)];
  say("rateRead", i === null ? "Over the last second or more" : `${count(shown.rate[i])} at ${clock(p.t)}, row ${count(p.rows)}`);
}

function tellNew(i) {
  if (!shown) return;
  const j = at(i, shown.sums), key = $("newKey").children, all = now.novelty.reduce((sum, t) => sum + t.rows, 0);
  tiers.forEach((_, k) => { key[k].lastElementChild.textContent = percent(shown.news ? shown.tier[k][j] : all > 0 ? now.novelty[k].rows / all : null); });
  key[tiers.length].lastElementChild.textContent = percent(last(points).load);
  say("newRead", i !== null ? `after row ${count(shown.sums[j].rows)}`
    : `${shown.news ? "Recent" : "All"} rows, by how often their rarest item had been learned before`);
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
  const letters = [...name], text = letters.length > 80 ? letters.slice(0, 79).join("") + "…" : name;
  const cell = element("td"), bdi = element("bdi", text === "" ? "(empty)" : text);
  cell.title = `${column} = ${name}`;
  cell.append(bdi, " ", element("small", column));
  return cell;
}

const fill = (id, rows) => $(id).tBodies[0].replaceChildren(...rows);

function row(...cells) {
  const r = element("tr");
  r.append(...cells);
  return r;
}

function drawLists() {
  fill("newest", (now.newest ?? []).map(n => row(itemCell(n.column, n.name), element("td", count(n.row), "n"))));
  fill("uncertain", (now.uncertain ?? []).map(u => {
    const effect = element("td", u.class ? percent(u.effect) : `${signed(u.effect)} ± ${deviation(u.spread)}`, "n");
    if (u.class) effect.title = u.class;
    return row(itemCell(u.column, u.name), element("td", count(u.count), "n"), effect);
  }));
  $("odd").hidden = !now.fields?.length;
  for (const id of ["fields", "verdict", "strange"]) $(id).replaceChildren(...(now[id] ?? []).map(s => element("li", s)));
  drawScales();
  for (const [id, list] of [["newest", now.newest], ["uncertain", now.uncertain], ["scales", now.kind !== "count" && now.columns]]) {
    $(id).closest("section").hidden = !list?.length || !last(points).rows; // a count's evidence has no effects
  }
}

/** numbers fills a table of numbers, and hides one without rows. */
function numbers(id, { head, body }) {
  $(id).closest("details").hidden = !body.length;
  $(id).tHead.rows[0].replaceChildren(...head.map(h => element("th", h, "n")));
  fill(id, body.map(cells => row(...cells.map(c => element("td", c, "n")))));
}

/** drawTables says what the charts show, at ten rows, and how well each class is forecast. */
function drawTables() {
  const all = shown.sums, tenth = j => Math.floor(10 * j / (all.length - 1)), at = [...all.keys()].filter(j => j && tenth(j) > tenth(j - 1));
  for (const [id, names, lists, write] of [["scoreTable", now.models, shown.scores, inUnit], ["newTable", tiers, shown.tier, percent]]) {
    numbers(id, { head: ["after row", ...names], body: at.map(j => [count(all[j].rows), ...lists.map(list => write(list[j]))]) });
  }
  $("classes").closest("details").hidden = !now.classes;
  fill("classes", (now.classes ?? []).map((c, i) => row(element("td", now.names[i]),
    ...[percent(c.precision), percent(c.recall), score(c.log_loss), count(c.weight)].map(text => element("td", text, "n")))));
}

function drawScales() {
  const columns = now.columns ?? [], most = Math.max(1e-9, ...columns.map(c => c.adds ?? 0));
  const list = columns.map(c => {
    const li = element("li"), name = element("bdi", c.name), track = element("span", undefined, "track"), bar = element("span", undefined, "fill");
    name.title = c.name;
    bar.style.width = 100 * (c.adds ?? 0) / most + "%";
    track.append(bar);
    li.append(name, track, element("span", c.adds >= 100 ? score(c.adds) : (c.adds ?? 0).toPrecision(3), "value"));
    return li;
  });
  if (now.left > 0) list.push(element("li", `and ${count(now.left)} more columns`));
  $("scales").replaceChildren(...list);
}

// ---- why ----

/** drawAsk makes the form, and lists forecasts unless a person is about to choose one. */
function drawAsk() {
  const columns = now.inputs?.filter(name => name) ?? [], list = $("asked");
  list.closest("section").hidden = !columns.length || now.kind === "count"; // a count has no reasons that add up
  if ($("askFields").textContent !== columns.join("")) $("askFields").replaceChildren(...columns.map(name => {
    const label = element("label"), input = element("input");
    input.autocomplete = "off";
    label.append(element("bdi", name), input);
    return label;
  }));
  if (!list.matches(":hover, :focus-within")) list.replaceChildren(...(now.told ?? []).map(f => {
    const li = element("li"), k = f.classes ? f.value : 1, p = f.classes?.[k] ?? f.probability;
    const button = element("button", `${now.kind === "classes" ? `${now.names[k]} ${percent(p)}` : score(f.value)} after row ${count(f.rows)}`);
    button.onclick = () => {
      f.record.filter((_, i) => now.inputs[i]).forEach((field, i) => { $("ask").elements[i].value = field; });
      explain();
    };
    li.append(button);
    return li;
  }));
}

/** explain asks the program for the reason of the form's record. */
async function explain() {
  const record = Object.fromEntries(now.inputs.filter(name => name).map((name, i) => [name, $("ask").elements[i].value]));
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch("v1/explain", { method: "POST", headers, body: JSON.stringify({ record }) }).then(a => a.json())
    .catch(() => ({ error: { message: "No answer from the program." } }));
  $("reason").hidden = !!answer.error;
  if (answer.error) say("askNote", answer.error.message); else drawReason(answer.forecasts[0]);
}

function drawReason({ why, unread }) {
  const classes = now.kind === "classes", shown = classes ? percent : score, forecast = v => shown(classes ? 1 / (1 + Math.exp(-v)) : v);
  const line = (adds, because, x) => row(...[signed(adds), x && deviation(x.spread), x && (x.learned === 255 ? "≥ 255" : count(x.learned))].map(text => element("td", text)),
    x ? because : element("td", because), element("td", x && shown(x.if_usual)));
  fill("reason", [line(why.usual_row, "a usual row"), ...why.lines.map(x => {
    const cell = itemCell(x.column, x.field);
    if (x.with) cell.append(element("small", `, ${signed(x.with_adds)} of it with ${x.with}`));
    return line(x.adds, cell, x);
  }), ...(why.others ? [line(why.others, "all others")] : []), line(why.what_came_last, "what came last"), line(why.value, why.of)]);
  say("askNote", `${why.of.replace(/^.*? of /, "")} ${forecast(why.value)}; a usual row ${forecast(why.usual_row)}, base rate ${forecast(why.base_rate)}. `
    + `Lines add up ${classes ? "in log-odds" : "to the mean"}, half of each pair in the line of each of its columns. A reason of the model is no cause.`
    + (unread ? ` Cannot be read: ${unread.join(", ")}.` : ""));
}

// ---- figures and words ----

function drawFigures() {
  const p = last(points), classes = now.kind === "classes";
  const ended = now.state === "ended" || now.state === "stopped", learned = p.rows - points[0].rows;
  say("title", now.title || "stream");
  say("target", "forecasts " + now.target);
  say("rows", count(p.rows));
  say("rate", count(ended ? learned / Math.max(p.t - points[0].t, 1e-3) : last(shown.rate)));
  $("rate").parentElement.hidden = now.state === "serving" && !learned;
  say("elapsedName", now.state === "serving" ? "served for" : "elapsed");
  say("elapsed", clock(p.t));
  say("metric", ended ? "final " + now.metric : now.metric);
  say("score", score(shown.all));
  say("base", score(shown.base));
  say("sureName", classes ? "accuracy" : "90 % holds");
  say("sure", percent(classes ? now.accuracy : now.covered));
  say("cost", `A look at the learner takes ${(1000 * now.cost).toFixed(1)} ms. The page keeps such looks under a hundredth of the time.`);
  $("progress").hidden = !(now.progress >= 0);
  if (now.progress >= 0) $("progress").value = now.progress;
  document.title = `${count(p.rows)} rows – ${now.title || "phe stream"}`;
  $("scorePlot").setAttribute("aria-label", `${now.metric} by rows; of all rows it is ${score(shown.all)}, the base rate's ${score(shown.base)}`);
}

function drawWatch() {
  const p = last(points);
  for (const [id, n] of Object.entries({ alarms: p.alarms, changes: p.changes, waiting: now.waiting, dropped: now.dropped, unlabelled: now.unlabelled })) {
    say(id, count(n));
    $(id).parentElement.hidden = !n && id !== "alarms";
  }
  say("load", percent(p.load));
  say("loadNote", p.load > 0.6 ? "With so many counters in use, many new items look known. More memory helps." : "");
  const list = shown.alarms.map(a => `${a.after + 1 < a.rows ? "rows " + count(a.after + 1) + " to " : "row "}${count(a.rows)}: ${a.says}`);
  $("alarmList").replaceChildren(...[...new Set(list)].slice(-5).reverse().map(text => element("li", text)));
}

const effects = {
  classes: "Effect on the logit of the probability, ± its standard deviation",
  number: "Effect on the forecast mean, ± its standard deviation",
  count: "Effect on the forecast, ± its standard deviation",
};

function drawCalibration() {
  const classes = now.kind === "classes", drawn = now.calibration.weight.some(n => n > 0);
  $("fit").hidden = !drawn;
  calibration.draw($("fit"), now.calibration, classes);
  numbers("fitTable", calibration.rows(now.calibration, classes));
  say("fitNote", !last(points).rows ? "No forecast has been scored yet." : classes ? `Mean distance from the diagonal ${score(now.calibration.error)}. Bars are rows; whiskers hold 90 %.`
    : `The 90 % interval held ${percent(now.covered)} of the outcomes. ${drawn ? "Bars are equal if forecasts are calibrated." : "A count whose label comes late has no bar."}`);
  const several = (now.uncertain ?? []).some(u => u.class);
  say("effectNote", several ? "Effect on the probability of the class that gains most" : effects[now.kind] ?? effects.number);
}

function drawState(lost) {
  const pill = $("state");
  pill.className = "pill " + (lost && now?.state !== "ended" ? "lost" : now?.state ?? "");
  pill.textContent = lost ? (now?.state === "ended" ? "ended" : "no connection") : now?.state ?? "connecting";
}

function draw() {
  drawCharts();
  drawFigures();
  drawLists();
  drawTables();
  drawAsk();
  drawCalibration();
  drawWatch();
  drawState(false);
  tellScore(scores.cursor.idx ?? null);
  tellRate(rates.cursor.idx ?? null);
  tellNew(news.cursor.idx ?? null);
}

// ---- the parts that stay ----

function begin() {
  $("ask").addEventListener("submit", event => { event.preventDefault(); explain(); });
  fill("models", dashes.map((dash, i) => {
    const cell = element("td"), ns = "http://www.w3.org/2000/svg", svg = document.createElementNS(ns, "svg"), line = document.createElementNS(ns, "line");
    svg.setAttribute("class", "swatch");
    svg.setAttribute("aria-hidden", "true");
    for (const [key, value] of Object.entries({ x1: 0, x2: 30, y1: 6, y2: 6, "stroke-dasharray": dash.join(" ") })) line.setAttribute(key, value);
    line.style.stroke = `var(--m${i})`;
    svg.append(line);
    cell.append(svg, "–");
    return row(cell, element("td", "–", "n"), element("td", "–", "n"));
  }));
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
}

/** tools gives their work to the buttons below the charts. */
function tools() {
  $("unit").addEventListener("click", () => {
    $("unit").setAttribute("aria-pressed", String(ofBase = !ofBase));
    if (now) draw();
  });
  $("scorePicture").addEventListener("click", () => picture(scores, "score.png",
    [[`${now.title}, ${showRecent ? "recent" : "all"} rows:`], ...now.models.map((name, m) => [name, "--m" + m])]));
  $("newPicture").addEventListener("click", () => picture(news, "new-items.png", [[`${now.title}, rarest item learned before:`],
    ...tiers.map((name, i) => [name, "--n" + i]), ["counters in use", "--load"]]));
}

// ---- events ----

let source = null, waiting = false, came = null;

function take(event) {
  const e = JSON.parse(event.data);
  kept.length = e.from;
  kept.push(...e.points);
  course.length = e.full;
  course.push(...e.course);
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
tools();
follow();
