// Figures and times as they stand beside curves, and beside an axis, where there is little room. (Apart from format.ts,
// which every page loads at once.)
import { dates, type Zone } from "./format";
import { language } from "./text";

/** dayOfYear is a day without its year, in short. */
export function dayOfYear(time: Date, timeZone?: Zone): string {
  return dates({ day: "numeric", month: "short", timeZone }).format(time);
}

/** month is a month with its year, in short. */
export function month(time: Date, timeZone?: Zone): string {
  return dates({ month: "short", year: "numeric", timeZone }).format(time);
}

/** compact is a number in few characters, rounded, with thousands and millions as a word or a letter. */
export function compact(n: number): string {
  return new Intl.NumberFormat(language.value, { notation: "compact", maximumSignificantDigits: 3 }).format(n);
}

/** share is a part of a whole, in percent. */
export function share(n: number): string {
  return new Intl.NumberFormat(language.value, { style: "percent", maximumFractionDigits: n > 0 && n < 0.1 ? 1 : 0 }).format(n);
}

/** milliseconds is a short length of time, to three digits. */
export function milliseconds(n: number): string {
  const unit = n < 1000 ? "millisecond" : "second";
  return new Intl.NumberFormat(language.value, {
    style: "unit", unit, unitDisplay: "short", maximumSignificantDigits: 3,
  }).format(unit === "second" ? n / 1000 : n);
}
