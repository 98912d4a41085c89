// What the tests of the TypeScript client begin with. They share a server of their own.
import type { SignetEvent } from "#client";
import { test as base } from "../fixtures/test.js";

export { expect } from "../fixtures/test.js";

/** Arguments of a server where one key sends and calls as often as it can. */
export const unlimited = ["--limits.messages-per-day=0", "--limits.requests-per-second=0"];

export const test = base.extend({
  house: [async ({ stage }, use) => use(await stage.serve(unlimited)), { scope: "worker" }],
});

/** list takes all that comes, until the end. */
export async function list<T>(entries: AsyncIterable<T>): Promise<T[]> {
  const out: T[] = [];
  for await (const entry of entries) out.push(entry);
  return out;
}

/** until takes what comes up to the first event that is the last one. */
export async function until(
  events: AsyncIterable<SignetEvent>, isLast: (event: SignetEvent) => boolean,
): Promise<SignetEvent[]> {
  const out: SignetEvent[] = [];
  for await (const event of events) {
    out.push(event);
    if (isLast(event)) break;
  }
  return out;
}
