// Times and sizes as the language in force writes them.
import { midnight, today } from "./clock";
import { language, region } from "./text";

const formats = new Map<string, Intl.DateTimeFormat>();

/** dates returns a format of the language in force, as it is written where the reader is. To make one takes as long as to use it a hundred times. */
export function dates(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = region.value + Object.entries(options).join();
  const format = formats.get(key) ?? new Intl.DateTimeFormat(region.value, options);
  formats.set(key, format);
  return format;
}

/** clock is the time of a day. */
export function clock(time: string | Date): string {
  return dates({ timeStyle: "short" }).format(new Date(time));
}

/** day is a date: today, yesterday, a weekday of this week, or else the whole date. */
export function day(time: string | Date): string {
  const date = new Date(time);
  const days = Math.round((today.value - midnight(date)) / 86_400_000);
  if (days === 0 || days === 1) {
    return capital(new Intl.RelativeTimeFormat(language.value, { numeric: "auto" }).format(-days, "day"));
  }
  if (days > 1 && days < 7) return dates({ weekday: "long" }).format(date);
  return dates({ dateStyle: "long" }).format(date);
}

/** when is short: the time of what is of today, or else the day. */
export function when(time: string | Date): string {
  const date = new Date(time);
  return midnight(date) === today.value
    ? clock(date)
    : dates({ day: "2-digit", month: "2-digit", year: "2-digit" }).format(date);
}

/** Where a time is told: where the browser is, unless it is the zone of what counts by days. */
export type Zone = "UTC" | undefined;

/** date is a day, in short. */
export function date(time: string | Date, timeZone?: Zone): string {
  return dates({ dateStyle: "medium", timeZone }).format(new Date(time));
}

/** monthOf names a month, such as 2026-03. */
export function monthOf(month: string): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return dates({ month: "long", year: "numeric" }).format(new Date(year, number - 1, 1));
}

/** minute is a date with the time of the day. */
export function minute(time: string | Date): string {
  return dates({ dateStyle: "medium", timeStyle: "short" }).format(new Date(time));
}

/** hour is the hour of a day. */
export function hour(time: string | Date): string {
  return dates({ year: "numeric", month: "short", day: "numeric", hour: "numeric" }).format(new Date(time));
}

/** moment is a whole time, to the second. */
export function moment(time: string | Date): string {
  return dates({ dateStyle: "medium", timeStyle: "medium" }).format(new Date(time));
}

const units = ["second", "minute", "hour", "day"] as const;
const lengths = [60, 60, 24, Infinity];

/** span is a length of time in its largest whole unit. */
export function span(seconds: number): string {
  let n = Math.max(0, seconds);
  let unit = 0;
  while (unit < 3 && n >= (lengths[unit] ?? 0)) n /= lengths[unit++] ?? 1;
  return measure(Math.floor(n), units[unit] ?? "day");
}

/**
 * left is how long something is still there, in its largest unit, rounded up: five minutes begin as five minutes, also by a
 * clock that is a second behind.
 */
export function left(seconds: number): string {
  let n = Math.max(0, Math.ceil(seconds));
  let unit = 0;
  while (unit < 3 && n >= (lengths[unit] ?? 0)) n = Math.ceil((n - (unit === 0 ? 1 : 0)) / (lengths[unit++] ?? 1));
  return measure(n, units[unit] ?? "day");
}

function measure(n: number, unit: string): string {
  return new Intl.NumberFormat(language.value, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 0 }).format(n);
}

const sizes = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** size is a number of bytes in a unit that fits, each of 1,024 of the one before, as limits are set. */
export function size(bytes: number): string {
  const step = bytes < 1024 ? 0 : Math.min(4, Math.floor(Math.log2(bytes) / 10));
  return new Intl.NumberFormat(language.value, {
    style: "unit", unit: sizes[step] ?? "byte", unitDisplay: step ? "short" : "narrow",
    maximumFractionDigits: step > 1 ? 1 : 0,
  }).format(bytes / 1024 ** step).replace(/(\d)(\p{L})/u, "$1\u00a0$2"); // narrow leaves no space
}

/** count is a number, with its thousands set apart. */
export function count(n: number): string {
  return n.toLocaleString(language.value);
}

/** capital is what stands at the beginning of a line. */
export function capital(words: string): string {
  return words.charAt(0).toLocaleUpperCase(language.value) + words.slice(1);
}
