// When somebody comes back to the page, or the computer to its page: what the page shows may be over.
import { tick } from "../../text/clock";
import { renew } from "./line";

/** Who is told, and whether the computer or the page has slept, so that the connections may be dead. */
const told = new Set<(slept: boolean) => void>();

/** onAwake has somebody told, until the function that it returns is called. */
export function onAwake(act: (slept: boolean) => void): () => void {
  told.add(act);
  return () => told.delete(act);
}

function awake(slept: boolean): void {
  note();
  tick();
  if (slept) renew();
  for (const act of told) act(slept);
}

const apart = 3000; // milliseconds by which the computer's clock jumps, not only a busy page
const gap = 10_000; // milliseconds without a pulse, in a page that is seen
const longGap = 90_000; // in one that was not: browsers wake it once a minute

/** The last pulse, by the computer's clock, and by the one that nobody sets, which may stand still in a sleep. */
let last = { wall: 0, own: 0 };
let beats = false;

function note(): void {
  last = { wall: Date.now(), own: performance.now() };
}
note();

/** hasSlept tells whether more time has passed since the last pulse than passes awake. */
function hasSlept(seen: boolean): boolean {
  const wall = Date.now() - last.wall;
  const own = performance.now() - last.own;
  return Math.abs(wall - own) > apart || (beats && Math.max(wall, own) > (seen ? gap : longGap));
}

/** pulse notes that the page lives. A page calls it each second. */
export function pulse(): void {
  if (hasSlept(document.visibilityState === "visible")) awake(true);
  else note();
  beats = true;
  tick();
}

document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && awake(hasSlept(false)));
document.addEventListener("resume", () => awake(true));
addEventListener("pageshow", ({ persisted }) => persisted && awake(true));
addEventListener("online", () => awake(true));
