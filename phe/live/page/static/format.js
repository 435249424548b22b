"use strict";
// Numbers as people read them. A number that is not known is a dash.

const whole = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });
const dash = "–";
const minus = text => text.replace("e-", "e−").replace("e+", "e"); // of a power, which a line would break at a hyphen
const known = v => typeof v === "number" && Number.isFinite(v);

/** count writes a number of rows with commas. */
export const count = v => known(v) ? whole.format(v) : dash;

/** score writes a score with four digits, or four decimals below 10. */
export function score(v) {
  if (!known(v)) return dash;
  const size = Math.abs(v);
  if (size >= 1e12 || size > 0 && size < 1e-4) return minus(v.toExponential(2));
  if (size >= 1000) return count(v);
  return v.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : 4);
}

/** percent writes a share. */
export const percent = (v, digits = 1) => known(v) ? (100 * v).toFixed(digits) + " %" : dash;

/** signed writes an effect with its sign. */
export const signed = v => known(v) ? (v < 0 ? "−" : v > 0 ? "+" : "") + deviation(Math.abs(v)) : dash;

/** deviation writes a number with two decimals, with fewer from 100 on, and a tiny one with one digit. */
export const deviation = v => known(v) ? Math.abs(v) >= 100 ? score(v) : v !== 0 && Math.abs(v) < 0.005 ? minus(v.toPrecision(1)) : v.toFixed(2) : dash;

/** clock writes a time in seconds as 0:07, 12:34 or 3:04:05. */
export function clock(seconds) {
  if (!known(seconds)) return dash;
  const s = Math.floor(seconds), two = n => String(n).padStart(2, "0");
  const h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60;
  return h > 0 ? `${h}:${two(m)}:${two(s % 60)}` : `${m}:${two(s % 60)}`;
}

/** ticks writes the numbers of an axis in one unit, such as 0k, 5k, 10k, with the decimals that tell them apart. */
export function ticks(values) {
  const most = Math.max(...values.map(Math.abs)), step = values.length > 1 ? values[1] - values[0] : most;
  const power = most > 0 ? Math.floor(Math.log10(most)) : 0, strange = power < -4 || power >= 12;
  const [unit, name] = strange ? [10 ** power, "e" + power] : most >= 1e9 ? [1e9, "G"] : most >= 1e6 ? [1e6, "M"] : most >= 1e4 ? [1e3, "k"] : [1, ""];
  let decimals = 0;
  while (decimals < 6 && Math.abs(step / unit * 10 ** decimals - Math.round(step / unit * 10 ** decimals)) > 1e-6) decimals++;
  return values.map(v => v === 0 ? "0" : (v / unit).toFixed(decimals) + name);
}
