// What figures are counted in: how they are written, and which marks an axis has.
import { clock, count, date, minute as minuteOf, size, span } from "../../text/format";
import { compact, dayOfYear, milliseconds, month, share } from "../../text/scale";

/** A unit of figures. */
export interface Unit {
  /** How a figure is written. */
  readonly write: (n: number) => string;
  /** How it is written beside an axis, where there is little room. */
  readonly brief: (n: number) => string;
  /** An axis reaches at least so far, even where everything is nought. */
  readonly least: number;
  /** It reaches no farther; undefined: as far as the figures do. */
  readonly most?: number;
  /** How far marks may be apart. */
  readonly steps: readonly number[];
}

const powers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** One, two and five of each power of ten. */
const decimal = (from: number, to: number) => powers(from, to).flatMap((n) => [1, 2, 5].map((digit) => Number(`${digit}e${n}`)));

/** Halves and doubles of bytes, kilobytes and so on, as they are written. */
const binary = powers(0, 49).map((n) => 2 ** n);

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const lengths = [
  ...[1, 2, 5, 10, 30], ...[1, 2, 5, 10, 30].map((n) => n * minute), ...[1, 2, 6, 12].map((n) => n * hour),
  ...[1, 2, 7, 30, 90, 365].map((n) => n * day),
];

/** Whole things: messages, people. */
export const things: Unit = { write: (n) => count(Math.round(n)), brief: compact, least: 4, steps: decimal(0, 12) };

export const bytes: Unit = { write: size, brief: size, least: 2 ** 20, steps: binary };

/** How long a call takes, in milliseconds. */
export const delay: Unit = { write: milliseconds, brief: milliseconds, least: 1, steps: decimal(-1, 7) };

/** How long something has waited, in seconds. */
export const age: Unit = { write: span, brief: span, least: minute, steps: lengths };

/** A part of a whole, from 0 to 1. */
export const part: Unit = { write: share, brief: share, least: 1, most: 1, steps: [0.1, 0.2, 0.25, 0.5, 1] };

/** How busy processors are; more than 1 where there are several. */
export const load: Unit = { write: share, brief: share, least: 0.1, steps: decimal(-2, 3) };

/** topOf is how far an axis reaches: a little farther than its largest figure. */
export function topOf({ least, most = Infinity }: Unit, largest: number): number {
  return Math.min(most, Math.max(least, largest * 1.1));
}

/** zoneOf is where times are told: days are counted by UTC, and all else is told where the browser is. */
const zoneOf = (apart: number) => (apart >= day ? "UTC" : undefined);

/** mark writes a time beside an axis whose marks are so many seconds apart, of figures that are `step` apart. */
export function mark(seconds: number, apart: number, step: number): string {
  const time = new Date(seconds * 1000);
  if (apart >= 28 * day) return month(time, zoneOf(step));
  const midnight = time.getHours() === 0 && time.getMinutes() === 0;
  return apart >= day || midnight ? dayOfYear(time, zoneOf(step)) : clock(time);
}

/** moment writes the time of a figure. */
export function moment(seconds: number, step: number): string {
  const time = new Date(seconds * 1000);
  return step >= day ? date(time, zoneOf(step)) : minuteOf(time);
}
