// Times by how far they are from now. (Apart from format.ts, which every page loads at once.)
import { midnight, now, today } from "./clock";
import { clock, dates } from "./format";
import { language } from "./text";

let words: { of: string; format: Intl.RelativeTimeFormat } | undefined;

/** distance returns the format of what is some units away, in the language in force. */
function distance(): Intl.RelativeTimeFormat {
  if (words?.of !== language.value) {
    words = { of: language.value, format: new Intl.RelativeTimeFormat(language.value, { numeric: "auto", style: "short" }) };
  }
  return words.format;
}

/**
 * relative is a time as people say it: now, minutes or hours of the same day ago, yesterday at what time, or else the
 * day; and likewise what is to come. It changes with the clock.
 */
export function relative(time: string | Date): string {
  const date = new Date(time);
  const minutes = Math.trunc((date.getTime() - now.value) / 60_000);
  if (minutes === 0) return distance().format(0, "second");
  if (Math.abs(minutes) < 60) return distance().format(minutes, "minute");
  const days = Math.round((midnight(date) - today.value) / 86_400_000);
  if (days === 0) return distance().format(Math.trunc(minutes / 60), "hour");
  if (Math.abs(days) === 1) return `${distance().format(days, "day")} ${clock(date)}`;
  const year = date.getFullYear() === new Date(today.value).getFullYear() ? {} : { year: "numeric" } as const;
  return dates({ day: "numeric", month: "short", ...year }).format(date);
}

const units = ["second", "minute", "hour", "day"] as const;
const lengths = [60, 60, 24, Infinity];

/** ago is how long ago a time was, in its largest whole unit of up to days. */
export function ago(time: string): string {
  let n = Math.max(0, (now.value - Date.parse(time)) / 1000);
  let unit = 0;
  while (unit < 3 && n >= (lengths[unit] ?? 0)) n /= lengths[unit++] ?? 1;
  return new Intl.RelativeTimeFormat(language.value, { numeric: "auto" }).format(-Math.floor(n), units[unit] ?? "day");
}
