// How storage grows, and when the disk will be full if it goes on so.
import { type Figures, last, together, valuesOf, type Values } from "./history";

/** The kinds of what is stored. What is free beside them is `storage_bytes.free`. */
export const kinds = ["storage_bytes.database", "storage_bytes.log", "storage_bytes.blobs"] as const;

/** A straight line: how much there is at a time, and by how much it grows in a second. */
export interface Line {
  readonly slope: number;
  readonly at: (time: number) => number;
}

/** Less than this, in points and in seconds, says nothing of how something grows. */
const fewest = 12;
const shortest = 86_400;

/** lineOf is the line that has the least squares from what is known; undefined where too little is. */
export function lineOf(times: readonly number[], values: Values): Line | undefined {
  const points = times.flatMap((time, i) => {
    const value = values[i] ?? null;
    return value === null ? [] : [{ time, value }];
  });
  const [first, final] = [points[0], points.at(-1)];
  if (!first || !final || points.length < fewest || final.time - first.time < shortest) return undefined;
  const middle = points.reduce((all, { time }) => all + (time - first.time), 0) / points.length + first.time;
  const mean = points.reduce((all, { value }) => all + value, 0) / points.length;
  let [products, squares] = [0, 0];
  for (const { time, value } of points) {
    products += (time - middle) * (value - mean);
    squares += (time - middle) ** 2;
  }
  const slope = products / squares;
  return { slope, at: (time) => mean + slope * (time - middle) };
}

/** What becomes of the disk: how much it can hold, the line by which that is reached, and when. */
export interface Outlook {
  readonly capacity: number;
  readonly line: Line;
  /** In seconds since 1970. */
  readonly full: number;
}

/** Nobody plans beyond: five years, in seconds. */
const farthest = 5 * 365 * 86_400;

/**
 * outlookOf judges by the room that was left in the last days; undefined where it does not shrink, or is not known. What is
 * stored may lie on several disks, and a disk may have more on it: when one is full, only its own room tells.
 */
export function outlookOf(figures: Figures): Outlook | undefined {
  const room = valuesOf(figures, "storage_bytes.free");
  const [now, stored, free] = [figures.times.at(-1), last(together(figures, kinds)), last(room)];
  const left = lineOf(figures.times, room);
  if (now === undefined || stored === undefined || free === undefined || !left || left.slope >= 0) return undefined;
  const ahead = free / -left.slope;
  if (ahead > farthest) return undefined;
  const capacity = stored + free;
  return { capacity, line: { slope: -left.slope, at: (time) => capacity - left.at(time) }, full: now + ahead };
}

/**
 * extend lengthens the times of a plot to where the disk is full, if that is not farther ahead than half of what is shown;
 * else one would see little of what was.
 */
export function extend({ times, step }: Figures, full: number): readonly number[] {
  const [first, final] = [times[0], times.at(-1)];
  if (first === undefined || final === undefined || full <= final || full - final > (final - first) / 2) return times;
  const more = Math.ceil((full - final) / step);
  return [...times, ...Array.from({ length: more }, (_, i) => final + (i + 1) * step)];
}
