// Which part of a conversation's messages is in the document.
import type { Message } from "../client/index";
import { gaps, messages } from "./state/messages";

export const most = 120; // messages in the document
export const step = 20; // messages that are added at a time where one scrolls
export const ahead = 60; // messages around those that are seen: in the document at first, and loaded before one gets there

/** Span is the part of the messages that is in the document, by their sort_number. */
export interface Span {
  readonly from: number;
  readonly to: number; // Infinity: with the newest
}

/** Stretch is what is loaded without a gap where one reads. */
export interface Stretch {
  readonly list: readonly Message[];
  /** Its bounds, by sort_number, of which the second is not in it. end is Infinity where it goes on to the newest. */
  readonly start: number;
  readonly end: number;
}

/** stretchAt is what is loaded around a place in a conversation. It ends with the newest, or before a gap. */
export function stretchAt(key: string, at: number): Stretch {
  const list = messages.value.get(key) ?? [];
  const gap = gaps.value.get(key);
  if (!gap) return { list, start: 0, end: Infinity };
  const first = search(list, gap.to);
  if (at < gap.to) return { list: list.slice(0, first), start: 0, end: gap.to };
  return { list: list.slice(first), start: gap.to, end: Infinity };
}

/** bounds returns where a span begins and ends in a list. */
export function bounds(list: readonly Message[], { from, to }: Span): [number, number] {
  return [search(list, from), to === Infinity ? list.length : search(list, to)];
}

/** search returns the index of the first message with a sort_number of at least n. */
export function search(list: readonly Message[], n: number): number {
  let low = 0;
  for (let high = list.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.sort_number ?? 0) < n) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** closing is where a span ends that goes on to the end of a stretch. */
function closing({ list, start, end }: Stretch): number {
  return end === Infinity ? Infinity : (list.at(-1)?.sort_number ?? start) + 1;
}

/** tail is the span of the newest, of a stretch that goes on to them. */
export function tail({ list, start }: Stretch): Span {
  return { from: list[Math.max(0, list.length - ahead)]?.sort_number ?? start, to: Infinity };
}

/** around is the span around one of a stretch. */
export function around(stretch: Stretch, at: number): Span {
  const { list, start } = stretch;
  const to = list[at + ahead]?.sort_number ?? closing(stretch);
  return { from: list[Math.max(0, at - ahead / 2)]?.sort_number ?? start, to };
}

/** earlier is the span with some older ones more; where that gets long, without the newest of it. */
export function earlier({ list, start }: Stretch, { to }: Span, [a, b]: [number, number]): Span {
  const last = a - step + most;
  return { from: list[Math.max(0, a - step)]?.sort_number ?? start, to: last < b ? (list[last]?.sort_number ?? to) : to };
}

/** later is the span with some newer ones more; where that gets long, without the oldest of it. */
export function later(stretch: Stretch, [a, b]: [number, number]): Span {
  const { list, start } = stretch;
  const to = list[b + step]?.sort_number ?? closing(stretch);
  return { from: list[Math.max(a, b + step - most)]?.sort_number ?? start, to };
}
