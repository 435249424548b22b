"use strict";
// Numbers as people read them. A number that is not known is a dash.

const whole = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });
const dash = "–";
const known = v => typeof v === "number" && Number.isFinite(v);

/** count writes a number of rows with commas. */
export const count = v => known(v) ? whole.format(v) : dash;

/** score writes a score with four digits, or four decimals below 10. */
export function score(v) {
  if (!known(v)) return dash;
  const size = Math.abs(v);
  if (size >= 1000) return count(v);
  return v.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : 4);
}

/** percent writes a share. */
export const percent = (v, digits = 1) => known(v) ? (100 * v).toFixed(digits) + " %" : dash;

/** signed writes an effect with its sign. */
export const signed = v => known(v) ? (v <= -0.005 ? "−" : v >= 0.005 ? "+" : "") + deviation(Math.abs(v)) : dash;

/** deviation writes a number with two decimals, or fewer from 100 on. */
export const deviation = v => known(v) ? Math.abs(v) < 100 ? v.toFixed(2) : score(v) : dash;

/** clock writes a time in seconds as 0:07, 12:34 or 3:04:05. */
export function clock(seconds) {
  if (!known(seconds)) return dash;
  const s = Math.floor(seconds), two = n => String(n).padStart(2, "0");
  const h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60;
  return h > 0 ? `${h}:${two(m)}:${two(s % 60)}` : `${m}:${two(s % 60)}`;
}

/** short writes a large number for an axis: 12k, 3.4M. */
export function short(v) {
  const size = Math.abs(v);
  if (size >= 1e6) return +(v / 1e6).toPrecision(3) + "M";
  if (size >= 1e4) return +(v / 1e3).toPrecision(3) + "k";
  return whole.format(v);
}
