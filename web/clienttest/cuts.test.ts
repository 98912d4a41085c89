// A stream over a line that is cut again and again: the Go test sends, and cuts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, type Credentials } from "#client";
import { baseURL } from "./server.js";

const { CLIENT_TEST_READER = "", CLIENT_TEST_EVENTS = "" } = process.env;

test("a stream that is cut loses nothing, doubles nothing, and keeps the order", async (t) => {
  const events = Number(CLIENT_TEST_EVENTS);
  const client = new Client({
    baseURL,
    credentials: JSON.parse(CLIENT_TEST_READER) as Credentials,
    retry: { minDelay: 5, maxDelay: 50, attempts: 20 },
  });
  const next = new Map<string, number>(); // by sender
  let came = 0;
  let cuts = 0;
  const stream = client.events({
    acknowledge: true,
    pauses: { minDelay: 5, maxDelay: 50 },
    onDisconnect: () => cuts++,
    signal: AbortSignal.timeout(10 * 60_000),
  });
  for await (const event of stream) {
    if (event.kind !== "message") continue;
    const [sender = "", number] = (event.payload.body ?? "").split(":");
    assert.equal(Number(number), next.get(sender) ?? 0, `the next message of sender ${sender}`);
    next.set(sender, Number(number) + 1);
    if (++came === events) break;
  }
  assert.equal(came, events);
  assert.ok(cuts > 10, `the line was cut only ${cuts} times`);
  // The loop ended during the last event, which alone is not acknowledged.
  assert.equal((await client.getEvents()).length, 1);
  t.diagnostic(`${came} events, ${cuts} cuts`);
});
