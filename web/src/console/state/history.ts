// Figures over time as the server tells them, brought onto a grid of times without holes.
import type { Asked } from "./ranges";

/** A figure at each time, or null where it is not known. */
export type Values = readonly (number | null)[];

/** What the server answers. */
export interface History {
  readonly times: readonly string[];
  readonly series: Readonly<Record<string, Values>>;
}

/** Figures on a grid: one more time for each step, in seconds since 1970. */
export interface Figures {
  readonly times: readonly number[];
  readonly step: number;
  readonly series: Readonly<Record<string, Values>>;
}

/**
 * align puts what the server knows onto a grid from the beginning to the end of what was asked for. Where it has said
 * nothing, a figure is null, so that no line is drawn over the time in which nobody counted.
 */
export function align({ times, series }: History, { since, until, step }: Asked): Figures {
  const first = Math.floor(Date.parse(since) / 1000 / step) * step;
  const length = Math.max(0, Math.ceil((Date.parse(until) / 1000 - first) / step));
  const places = times.map((time) => Math.round((Date.parse(time) / 1000 - first) / step));
  const onGrid = (values: Values) => {
    const all: (number | null)[] = new Array<null>(length).fill(null);
    for (const [i, place] of places.entries()) if (place >= 0 && place < length) all[place] = values[i] ?? null;
    return all;
  };
  return {
    times: Array.from({ length }, (_, i) => first + i * step),
    step,
    series: Object.fromEntries(Object.entries(series).map(([name, values]) => [name, onGrid(values)])),
  };
}

/** valuesOf are those of a series, by a factor; nulls where the server has none of that name. */
export function valuesOf({ times, series }: Figures, name: string, factor = 1): Values {
  const values = series[name];
  if (!values) return times.map(() => null);
  return factor === 1 ? values : values.map((value) => value === null ? null : value * factor);
}

/** together adds series up; null where one that the server has is not known. */
export function together({ times, series }: Figures, names: readonly string[]): Values {
  const all = names.flatMap((name) => (series[name] ? [series[name]] : []));
  return times.map((_, i) => all.reduce<number | null>((sum, values) => {
    const value = values[i] ?? null;
    return sum === null || value === null ? null : sum + value;
  }, all.length > 0 ? 0 : null));
}

/** isEmpty reports whether nothing at all is known. */
export function isEmpty(values: Values): boolean {
  return values.every((value) => value === null);
}

/** last is the newest figure that is known. */
export function last(values: Values): number | undefined {
  return values.findLast((value) => value !== null) ?? undefined;
}

/** whole are the figures without the newest one, whose step goes on, unless it is the only one. */
export function whole(values: Values): Values {
  const before = values.slice(0, -1);
  return isEmpty(before) ? values : before;
}

/** ended are the figures without the newest one, which is not all that its step will have. */
export function ended(values: Values): Values {
  return values.map((value, i) => (i === values.length - 1 ? null : value));
}

/** sum adds up what is known. */
export function sum(values: Values): number {
  return values.reduce<number>((all, value) => all + (value ?? 0), 0);
}

/** mean is the average of what is known. */
export function mean(values: Values): number | undefined {
  const known = values.filter((value) => value !== null).length;
  return known === 0 ? undefined : sum(values) / known;
}

/** nearest is the place of the time that is closest to another one, among times in their order. */
export function nearest(times: readonly number[], time: number): number {
  let [low, high] = [0, times.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= time) low = middle;
    else high = middle;
  }
  const after = Math.abs((times[high] ?? 0) - time) < Math.abs((times[low] ?? 0) - time);
  return Math.max(0, after ? high : low);
}
