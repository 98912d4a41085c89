// The time as the server has it. What is over, or of today, is so whatever the computer's own clock says.
import { computed, signal } from "@preact/signals";

/**
 * What the server's clock showed when the page's own began, in milliseconds since 1970. The page's own only goes
 * forward, whoever sets the computer's. That one is believed until the first answer says better.
 */
let start = Date.now() - performance.now();

/** time is in milliseconds since 1970. */
export function time(): number {
  return start + performance.now();
}

/** The time, to the second, for what counts down. */
export const now = signal(time());
const minute = computed(() => Math.floor(now.value / 60_000));

/** When the day began, where the computer is. */
export const today = computed(() => midnight(new Date(minute.value * 60_000)));

/** midnight is when a day began, in milliseconds since 1970. */
export function midnight(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

/** tick has what counts down look at the time. */
export function tick(): void {
  now.value = time();
}

/**
 * heard takes over what the Date of an answer says: what the server's clock showed, without what is less than a second,
 * at some moment between the question and its answer, which are as the page's own clock has them. Answers come at all
 * parts of a second, so that each narrows what is left of doubt.
 */
export function heard(date: string | null, asked: number, answered: number): void {
  const said = Date.parse(date ?? "");
  if (Number.isNaN(said)) return;
  const before = start;
  start = Math.min(Math.max(start, said - answered), said + 1000 - asked);
  if (Math.abs(start - before) >= 1000) tick();
}
