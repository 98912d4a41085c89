// What is read on other devices, of which no event tells: as long as something is unread, the page asks now and then.
import { effect } from "@preact/signals";
import { unread } from "./conversations";

const soon = 10_000; // milliseconds after something has come: most is read soon, or not for long
const seldom = 300_000;

/** elsewhere asks again and again, ever more seldom, until nothing is unread. */
export function elsewhere(ask: () => Promise<void>): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const plan = (wait: number) => {
    timer = setTimeout(() => {
      plan(Math.min(2 * wait, seldom));
      ask().catch(() => undefined); // the next time
    }, wait);
  };
  effect(() => {
    clearTimeout(timer);
    if (unread.value > 0) plan(soon);
  });
}
