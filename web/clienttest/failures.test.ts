// What the client makes of servers and lines that fail: a scripted server answers.
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { Client, ConnectionError, ProtocolError, SignetError, SilentError, type ClientOptions } from "#client";
import { delay } from "#client/retry";

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** script starts a server that gives one answer after the other, the last one again and again. */
async function script(t: TestContext, answers: Answer[], options: ClientOptions = {}, acks: Answer[] = []) {
  const requests: IncomingMessage[] = [];
  const acknowledged: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const [from, got] = request.url === "/v2/events/ack" ? [acks, acknowledged] : [answers, requests];
    const answer = from[Math.min(got.push(request), from.length) - 1];
    request.resume().on("end", () => answer?.(response, request));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const client = new Client({
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/`,
    credentials: { key: "key", secret: "sëcret" },
    retry: { minDelay: 1 },
    ...options,
  });
  return { client, requests, acknowledged };
}

const success: Answer = (response) => response.end('{"status":"success","reply":{"token":"t"}}');
const sent: Answer = (response) => response.writeHead(204, { "TT-X-Message-Id": "m", "TT-X-Msg-Ttl": "60" }).end();
const cut: Answer = (response) => response.destroy();

function refuse(status: number, code: string, headers: Record<string, string> = {}): Answer {
  const error = { status, code, message: "No.", field: "body", request_id: "r" };
  return (response) => response.writeHead(status, headers).end(JSON.stringify({ status: "fail", error }));
}

test("a send is repeated under one Request-ID, whatever became of the first attempts", async (t) => {
  const { client, requests } = await script(t, [cut, refuse(503, "draining"), sent]);
  const { request_id, ...rest } = await client.sendMessage({ recipient: "bob", body: "Bed 12 is free." });
  assert.deepEqual(rest, { message_id: "m", ttl: 60, repeated: false });
  assert.deepEqual(requests.map((r) => r.headers["request-id"]), [request_id, request_id, request_id]);
  assert.match(request_id, /^[0-9a-f]{32}$/);
});

test("a caller's own Request-ID is taken, and a repeat is told", async (t) => {
  const repeat: Answer = (response) => response.writeHead(304, { "TT-X-Message-Id": "m" }).end();
  const { client, requests } = await script(t, [repeat]);
  const { repeated } = await client.sendMessage({ recipient: "bob", body: "x" }, { request_id: "mine" });
  assert.equal(repeated, true);
  assert.equal(requests[0]?.headers["request-id"], "mine");
});

test("credentials are Basic, in UTF-8, and the organization is named", async (t) => {
  const { client, requests } = await script(t, [success]);
  await client.in("org").getSelf({ render_metadata: true });
  assert.equal(requests[0]?.url, "/v2/user?render_metadata=true");
  assert.equal(requests[0]?.headers.authorization, `Basic ${Buffer.from("key:sëcret").toString("base64")}`);
  assert.equal(requests[0]?.headers["tt-x-organization-key"], "org");
});

test("what would do something twice is made again only where nothing was done", async (t) => {
  const lost = await script(t, [cut, success]);
  await assert.rejects(lost.client.createUser({ username: "bob" }), ConnectionError);
  assert.equal(lost.requests.length, 1);
  const busy = await script(t, [refuse(429, "rate_limit", { "Retry-After": "0" }), success]);
  await busy.client.createUser({ username: "bob" });
  assert.equal(busy.requests.length, 2);
});

test("a refusal tells its status, code, field and when to come back", async (t) => {
  const { client } = await script(t, [refuse(429, "daily_limit", { "Retry-After": "3600" })]);
  const error = await client.getSelf().catch((e: unknown) => e);
  assert.ok(error instanceof SignetError);
  const { call, status, code, message, field, requestID, retryAfter } = error;
  const said = [call, status, code, message, field, requestID, retryAfter];
  assert.deepEqual(said, ["GET /v2/user", 429, "daily_limit", "No.", "body", "r", 3_600_000]);
});

test("a Retry-After that is a date is measured by the server's clock", async (t) => {
  const headers = { Date: "Sat, 21 Nov 2026 08:15:00 GMT", "Retry-After": "Sat, 21 Nov 2026 09:15:00 GMT" };
  const { client } = await script(t, [refuse(503, "draining", headers)]);
  await assert.rejects(client.getSelf(), (error: SignetError) => error.retryAfter === 3_600_000);
});

test("what is no answer of the interface is told apart", async (t) => {
  const page = await script(t, [(response) => response.end("<html>")]);
  await assert.rejects(page.client.getSelf(), ProtocolError);
  const gateway = await script(t, [(response) => response.writeHead(500).end("<html>")]);
  await assert.rejects(gateway.client.getSelf(), (error: SignetError) => error.status === 500 && error.code === "");
});

test("a silent server is given up", async (t) => {
  const { client, requests } = await script(t, [() => undefined], { timeout: 50, retry: { attempts: 2, minDelay: 1 } });
  await assert.rejects(client.getSelf(), SilentError);
  assert.equal(requests.length, 2);
});

test("every call ends with its signal, with the signal's reason", async (t) => {
  const { client } = await script(t, [() => undefined]);
  const reason = new Error("enough");
  for (const call of [
    (signal: AbortSignal) => client.getSelf({ signal }),
    (signal: AbortSignal) => client.sendMessage({ recipient: "bob", attachment: new Blob(["x"]) }, { signal }),
    (signal: AbortSignal) => client.events({ signal, acknowledge: true }).next(),
  ]) {
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 20);
    await assert.rejects(call(controller.signal), reason);
  }
});

test("a path that would name another call is not sent", async (t) => {
  const { client, requests } = await script(t, [success]);
  for (const user of ["", ".", ".."]) await assert.rejects(client.getUser(user), TypeError);
  await client.getUser("a/b?c@d+e");
  assert.deepEqual(requests.map((r) => r.url), ["/v2/user/a%2Fb%3Fc%40d%2Be"]);
});

test("pauses grow up to a limit, and no two clients come back together", () => {
  const policy = { minDelay: 500, maxDelay: 30_000 };
  for (let attempt = 1; attempt <= 10; attempt++) {
    const middle = Math.min(500 * 2 ** (attempt - 1), 30_000);
    const waits = Array.from({ length: 50 }, () => delay(policy, attempt));
    const inside = Math.min(...waits) >= middle / 2 && Math.max(...waits) <= middle * 1.5;
    assert.ok(inside, `after attempt ${attempt}: ${waits}`);
    assert.ok(new Set(waits).size > 1);
  }
});

function eventStream(...ids: string[]): Answer {
  return (response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    const frame = (id: string) => `id: ${id}\ndata: {"event_id":"${id}","event":{"acme:iq:message:status":{}}}\n\n`;
    response.end(`retry: 1\n\n${ids.map(frame).join("")}data: {"event_id":"half`);
  };
}

test("a stream goes on from what was seen, and waits longer the longer nothing comes", async (t) => {
  const failing = [cut, refuse(503, "draining"), refuse(429, "rate_limit", { "Retry-After": "0" }), eventStream()];
  const revoked = refuse(401, "credentials_wrong");
  const { client, requests } = await script(t, [eventStream("1", "2"), ...failing, eventStream("3"), revoked]);
  const seen: string[] = [];
  const waits: number[] = [];
  const pauses = { minDelay: 4, maxDelay: 1000 };
  const stream = client.events({ pauses, onDisconnect: (_, wait) => waits.push(wait) });
  await assert.rejects(
    async () => {
      for await (const event of stream) seen.push(`${event.kind} ${event.id}`);
    },
    (error: SignetError) => error.status === 401,
  );
  assert.deepEqual(seen, ["message:status 1", "message:status 2", "message:status 3"]);
  assert.deepEqual(requests.map((r) => r.headers["last-event-id"]), [undefined, "2", "2", "2", "2", "2", "3"]);
  // The server names the first pause; it doubles, and is the first again once something came.
  const [first = 0, , third = 0, , fifth = 0, sixth = 0] = waits;
  assert.ok(first <= 1.5 && third >= 2 && fifth >= 8 && sixth <= 1.5, `the waits are ${waits}`);
});

test("a stream that says nothing for three heartbeats is lost", async (t) => {
  const open: Answer = (response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.write(": signet\n\n");
  };
  const { client, requests } = await script(t, [open, refuse(401, "credentials_wrong")]);
  const why: unknown[] = [];
  const pauses = { minDelay: 1, maxDelay: 1 };
  const stream = client.events({ heartbeat: 1, pauses, onDisconnect: (error) => why.push(error) });
  await assert.rejects(stream.next(), (error: SignetError) => error.status === 401);
  assert.ok(why[0] instanceof SilentError);
  assert.equal(requests[0]?.headers["tt-x-features"], "heartbeat_1");
});

test("acknowledgements are repeated until they are taken", async (t) => {
  let taken = () => {};
  const done = new Promise<void>((resolve) => (taken = resolve));
  const take: Answer = (response, request) => {
    sent(response, request);
    taken();
  };
  const lasting: Answer = (response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.write(": signet\n\n");
    void done.then(() => response.end());
  };
  const answers = [eventStream("1", "2"), lasting, refuse(401, "credentials_wrong")];
  const acks = [cut, refuse(503, "draining"), take];
  const { client, acknowledged } = await script(t, answers, { retry: { attempts: 1 } }, acks);
  const stream = client.events({ acknowledge: true, pauses: { minDelay: 1, maxDelay: 1 } });
  await assert.rejects(
    async () => {
      for await (const event of stream) void event;
    },
    (error: SignetError) => error.status === 401,
  );
  assert.equal(acknowledged.length, 3);
});

test("acknowledgements that are refused for good end the stream", async (t) => {
  const { client } = await script(t, [eventStream("1"), eventStream()], {}, [refuse(403, "origin_refused")]);
  const stream = client.events({ acknowledge: true, pauses: { minDelay: 5, maxDelay: 50 } });
  await assert.rejects(
    async () => {
      for await (const event of stream) void event;
    },
    (error: SignetError) => error.status === 403,
  );
});
