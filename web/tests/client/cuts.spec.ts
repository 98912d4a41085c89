// A stream over a line that is cut again and again, of more messages than a line carries in one go.
import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { Client, type Credentials } from "#client";
import type { Server } from "../fixtures/stage.js";
import { Cutter } from "./cutter.js";
import { expect, test as base } from "./test.js";

const senders = 100; // at once: so the server stores many messages at a time
const events = process.env["SIGNET_TEST_TORTURE"] ? 100_000 : 10_000;

const test = base.extend<{ cutter: Cutter }>({
  cutter: async ({ server }, use) => {
    const cutter = new Cutter(server.direct, 64 << 10, 512 << 10);
    await use(cutter);
    await cutter.close();
  },
});

/** admit makes somebody who has a program and no password, which would take long for many. */
async function admit(server: Server, organization: string, username: string) {
  const user = await server.operator.in(organization).createUser({ username, issue_key: true });
  const credentials: Credentials = { key: user.api_key ?? "", secret: user.api_secret ?? "" };
  return { token: user.token, credentials };
}

const agent = new Agent({ keepAlive: true });

/** post is what senders have in place of fetch. It takes a third of the processor's time, which the stream needs. */
const post: typeof fetch = async (url, init) => {
  const headers = Object.fromEntries(new Headers(init?.headers));
  const asked = request(String(url), { agent, method: init?.method ?? "GET", headers });
  const [answer] = (await once(asked.end(init?.body), "response")) as [IncomingMessage];
  const said = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
  return new Response((await text(answer)) || null, { status: Number(answer.statusCode), headers: said });
};

/** send sends messages of one sender, one after the other. */
async function send(client: Client, recipient: string, sender: number): Promise<void> {
  for (let n = 0; n < events / senders; n++) await client.sendMessage({ recipient, body: `${sender}:${n}` });
}

/** read follows the stream until all have come, each once, and those of each sender in their order. */
async function read(client: Client): Promise<{ came: number; cuts: number }> {
  const next = new Map<string, number>(); // by sender
  let came = 0;
  let cuts = 0;
  const pauses = { minDelay: 5, maxDelay: 50 };
  for await (const event of client.events({ acknowledge: true, pauses, onDisconnect: () => cuts++ })) {
    if (event.kind !== "message") continue;
    const [sender = "", number] = (event.payload.body ?? "").split(":");
    assert.equal(Number(number), next.get(sender) ?? 0, `the next message of sender ${sender}`);
    next.set(sender, Number(number) + 1);
    if (++came === events) break;
  }
  return { came, cuts };
}

test("a stream that is cut loses nothing, doubles nothing, and keeps the order", async ({ server, cutter }) => {
  test.setTimeout(12 * events); // two minutes, as all tests, and ten times that for ten times as many
  const organization = await server.operator.createOrganization({ name: "General Hospital" });
  const reader = await admit(server, organization, `reader-${server.next()}`);
  const following = new Client({
    baseURL: await cutter.open(),
    credentials: reader.credentials,
    retry: { minDelay: 5, maxDelay: 50, attempts: 20 },
  });
  const sending: Promise<void>[] = [];
  for (let sender = 0; sender < senders; sender++) {
    const { credentials } = await admit(server, organization, `sender-${server.next()}`);
    const client = new Client({ baseURL: server.direct, credentials, fetch: post });
    sending.push(send(client, reader.token, sender));
  }
  const [{ came, cuts }] = await Promise.all([read(following), ...sending]);
  expect(came).toBe(events);
  expect(cuts, "how often the line was cut").toBeGreaterThan(10);
  // The loop ended during the last event, which alone is not acknowledged.
  expect(await following.getEvents()).toHaveLength(1);
  test.info().annotations.push({ type: "line", description: `${came} events, ${cuts} cuts` });
});
