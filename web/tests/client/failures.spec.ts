// What the client makes of servers and lines that fail: a scripted server answers.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Client, ConnectionError, ProtocolError, SignetError, SilentError, type ClientOptions } from "#client";
import { delay } from "#client/retry";
import { expect, list, test as base } from "./test.js";

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

interface Scripted {
  client: Client;
  /** What was asked, but for what is in `acknowledged`. */
  requests: IncomingMessage[];
  acknowledged: IncomingMessage[];
}

interface ForTests {
  /** script starts a server that gives one answer after the other, the last one again and again. */
  script: (answers: Answer[], options?: ClientOptions, acks?: Answer[]) => Promise<Scripted>;
}

const test = base.extend<ForTests>({
  script: async ({}, use) => {
    const servers: Server[] = [];
    await use(async (answers, options = {}, acks = []) => {
      const requests: IncomingMessage[] = [];
      const acknowledged: IncomingMessage[] = [];
      const server = createServer((request, response) => {
        const [from, got] = request.url === "/v2/events/ack" ? [acks, acknowledged] : [answers, requests];
        const answer = from[Math.min(got.push(request), from.length) - 1];
        request.resume().on("end", () => answer?.(response, request));
      });
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const client = new Client({
        baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/`,
        credentials: { key: "key", secret: "sëcret" },
        retry: { minDelay: 1 },
        ...options,
      });
      return { client, requests, acknowledged };
    });
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  },
});

const success: Answer = (response) => response.end('{"status":"success","reply":{"token":"t"}}');
const sent: Answer = (response) => response.writeHead(204, { "TT-X-Message-Id": "m", "TT-X-Msg-Ttl": "60" }).end();
const cut: Answer = (response) => response.destroy();
const silence: Answer = () => undefined;
/** The beginning of a stream, which stays open. */
const open: Answer = (response) => {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  response.write(": signet\n\n");
};

function refuse(status: number, code: string, headers: Record<string, string> = {}): Answer {
  const error = { status, code, message: "No.", field: "body", request_id: "r" };
  return (response) => response.writeHead(status, headers).end(JSON.stringify({ status: "fail", error }));
}

/** eventStream sends these events, and the half of another. */
function eventStream(...ids: string[]): Answer {
  return (response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    const frame = (id: string) => `id: ${id}\ndata: {"event_id":"${id}","event":{"acme:iq:message:status":{}}}\n\n`;
    response.end(`retry: 1\n\n${ids.map(frame).join("")}data: {"event_id":"half`);
  };
}

/** refused is what a refusal is to look like. */
function refused(fields: Partial<SignetError>): Partial<SignetError> {
  return { name: "SignetError", ...fields };
}

test("a send is repeated under one Request-ID, whatever became of the first attempts", async ({ script }) => {
  const { client, requests } = await script([cut, refuse(503, "draining"), sent]);
  const { request_id, ...rest } = await client.sendMessage({ recipient: "bob", body: "Bed 12 is free." });
  expect(rest).toStrictEqual({ message_id: "m", ttl: 60, repeated: false });
  expect(requests.map((r) => r.headers["request-id"])).toStrictEqual([request_id, request_id, request_id]);
  expect(request_id).toMatch(/^[0-9a-f]{32}$/);
});

test("a caller's own Request-ID is taken, and a repeat is told", async ({ script }) => {
  const repeat: Answer = (response) => response.writeHead(304, { "TT-X-Message-Id": "m" }).end();
  const { client, requests } = await script([repeat]);
  const { repeated } = await client.sendMessage({ recipient: "bob", body: "x" }, { request_id: "mine" });
  expect(repeated).toBe(true);
  expect(requests.map((r) => r.headers["request-id"])).toStrictEqual(["mine"]);
});

test("credentials are Basic, in UTF-8, and the organization is named", async ({ script }) => {
  const { client, requests } = await script([success]);
  await client.in("org").getSelf({ render_metadata: true });
  expect(requests[0]?.url).toBe("/v2/user?render_metadata=true");
  expect(requests[0]?.headers.authorization).toBe(`Basic ${Buffer.from("key:sëcret").toString("base64")}`);
  expect(requests[0]?.headers["tt-x-organization-key"]).toBe("org");
});

test("what would do something twice is made again only where nothing was done", async ({ script }) => {
  const lost = await script([cut, success]);
  await expect(lost.client.createUser({ username: "bob" })).rejects.toThrow(ConnectionError);
  expect(lost.requests).toHaveLength(1);
  const busy = await script([refuse(429, "rate_limit", { "Retry-After": "0" }), success]);
  await busy.client.createUser({ username: "bob" });
  expect(busy.requests).toHaveLength(2);
});

test("a refusal tells its status, code, field and when to come back", async ({ script }) => {
  const { client } = await script([refuse(429, "daily_limit", { "Retry-After": "3600" })]);
  const error = await client.getSelf().catch((e: unknown) => e);
  expect(error).toBeInstanceOf(SignetError);
  expect(error).toMatchObject(refused({
    call: "GET /v2/user", status: 429, code: "daily_limit", message: "No.", field: "body", requestID: "r",
    retryAfter: 3_600_000,
  }));
});

const unelevated = refuse(403, "administrative_key_required");

test("a call that takes an elevated session is made once more, under its Request-ID, when there is one", async ({ script }) => {
  const asked: string[] = [];
  const onElevationRequired = async ({ call }: SignetError) => asked.push(call) > 0;
  const { client, requests } = await script([unelevated, success, unelevated], { onElevationRequired });
  await client.createUsers({ users: [] });
  expect(requests.map(({ method }) => method)).toEqual(["POST", "POST"]);
  expect(requests[1]?.headers["request-id"]).toBe(requests[0]?.headers["request-id"]);
  await expect(client.in("o").getStatus()).rejects.toMatchObject(refused({ code: "administrative_key_required" }));
  expect(requests).toHaveLength(4);
  expect(asked).toEqual(["POST /v2/user/bulk", "GET /v2/status"]);
});

test("without an elevated session the refusal stays, or becomes the reason why there is none", async ({ script }) => {
  let asked = 0;
  const answers = [async () => false, async () => Promise.reject(new Error("declined"))];
  const onElevationRequired = async () => (await answers[asked++]?.()) ?? true;
  const { client, requests } = await script([unelevated], { onElevationRequired });
  await expect(client.getStatus()).rejects.toMatchObject(refused({ code: "administrative_key_required" }));
  await expect(client.getStatus()).rejects.toThrow("declined");
  expect(requests).toHaveLength(2);
  await expect(client.getStatus({ elevate: false })).rejects.toMatchObject(refused({ status: 403 }));
  await expect(client.elevateSession({ password: "p" })).rejects.toMatchObject(refused({ status: 403 }));
  expect(requests.map(({ url }) => url)).not.toContain("/v2/status?elevate=false");
  expect(asked).toBe(2);
});

/** asking notes what calls there are, and lets those be that do not ask for admin access. */
function asking(told: object[]): NonNullable<ClientOptions["beforeCall"]> {
  return async ({ method, path, options }) => {
    told.push([method, path.join("/"), options?.elevate]);
    await Promise.resolve();
    if (options?.elevate === false) throw new Error("declined");
  };
}

test("a call waits for what is asked before it, and is not made where that rejects", async ({ script }) => {
  const told: object[] = [];
  const beforeCall = asking(told);
  const { client, requests } = await script([success], { beforeCall });
  await client.in("o").getStatus();
  await expect(client.getStatus({ elevate: false })).rejects.toThrow("declined");
  expect(requests).toHaveLength(1);
  expect(told).toEqual([["GET", "v2/status", undefined], ["GET", "v2/status", false]]);
});

test("a Retry-After that is a date is measured by the server's clock", async ({ script }) => {
  const headers = { Date: "Sat, 21 Nov 2026 08:15:00 GMT", "Retry-After": "Sat, 21 Nov 2026 09:15:00 GMT" };
  const { client } = await script([refuse(503, "draining", headers)]);
  await expect(client.getSelf()).rejects.toMatchObject(refused({ status: 503, retryAfter: 3_600_000 }));
});

test("what is no answer of the interface is told apart", async ({ script }) => {
  const page = await script([(response) => response.end("<html>")]);
  await expect(page.client.getSelf()).rejects.toThrow(ProtocolError);
  const gateway = await script([(response) => response.writeHead(500).end("<html>")]);
  await expect(gateway.client.getSelf()).rejects.toMatchObject(refused({ status: 500, code: "" }));
});

test("a silent server is given up", async ({ script }) => {
  const { client, requests } = await script([silence], { timeout: 50, retry: { attempts: 2, minDelay: 1 } });
  await expect(client.getSelf()).rejects.toThrow(SilentError);
  expect(requests).toHaveLength(2);
});

test("every call ends with its signal, with the signal's reason", async ({ script }) => {
  const reason = new Error("enough");
  let controller = new AbortController();
  // The call is under way: the server has it, and says nothing.
  const { client, requests } = await script([() => controller.abort(reason)]);
  for (const call of [
    (signal: AbortSignal) => client.getSelf({ signal }),
    (signal: AbortSignal) => client.sendMessage({ recipient: "bob", attachment: new Blob(["x"]) }, { signal }),
    (signal: AbortSignal) => client.events({ signal, acknowledge: true }).next(),
  ]) {
    controller = new AbortController();
    await expect(call(controller.signal)).rejects.toBe(reason);
  }
  expect(requests.map((r) => r.url)).toStrictEqual(["/v2/user", "/v2/message", "/v2/events"]);
});

test("a path that would name another call is not sent", async ({ script }) => {
  const { client, requests } = await script([success]);
  for (const user of ["", ".", ".."]) await expect(client.getUser(user)).rejects.toThrow(TypeError);
  await client.getUser("a/b?c@d+e");
  expect(requests.map((r) => r.url)).toStrictEqual(["/v2/user/a%2Fb%3Fc%40d%2Be"]);
});

test("pauses grow up to a limit, and no two clients come back together", () => {
  const policy = { minDelay: 500, maxDelay: 30_000 };
  for (let attempt = 1; attempt <= 10; attempt++) {
    const middle = Math.min(500 * 2 ** (attempt - 1), 30_000);
    const waits = Array.from({ length: 50 }, () => delay(policy, attempt));
    expect(Math.min(...waits), `the shortest after attempt ${attempt}`).toBeGreaterThanOrEqual(middle / 2);
    expect(Math.max(...waits), `the longest after attempt ${attempt}`).toBeLessThanOrEqual(middle * 1.5);
    expect(new Set(waits).size).toBeGreaterThan(1);
  }
});

test("a stream goes on from what was seen, and waits longer the longer nothing comes", async ({ script }) => {
  const failing = [cut, refuse(503, "draining"), refuse(429, "rate_limit", { "Retry-After": "0" }), eventStream()];
  const revoked = refuse(401, "credentials_wrong");
  const { client, requests } = await script([eventStream("1", "2"), ...failing, eventStream("3"), revoked]);
  const seen: string[] = [];
  const waits: number[] = [];
  const pauses = { minDelay: 4, maxDelay: 1000 };
  const stream = client.events({ pauses, onDisconnect: (_, wait) => waits.push(wait) });
  const reading = (async () => {
    for await (const event of stream) seen.push(`${event.kind} ${event.id}`);
  })();
  await expect(reading).rejects.toMatchObject(refused({ status: 401 }));
  expect(seen).toStrictEqual(["message:status 1", "message:status 2", "message:status 3"]);
  const places = [undefined, "2", "2", "2", "2", "2", "3"];
  expect(requests.map((r) => r.headers["last-event-id"])).toStrictEqual(places);
  // The server names the first pause; it doubles, and is the first again once something came.
  const [first, , third, fourth, fifth, sixth] = waits;
  expect(first, `of the waits ${waits}`).toBeLessThanOrEqual(1.5);
  expect(third, `of the waits ${waits}`).toBeGreaterThanOrEqual(2);
  expect(fourth, `of the waits ${waits}`).toBeGreaterThanOrEqual(4); // where the server names no time
  expect(fifth, `of the waits ${waits}`).toBeGreaterThanOrEqual(8);
  expect(sixth, `of the waits ${waits}`).toBeLessThanOrEqual(1.5);
});

test("the pause of a stream that made room for another is for once, in whatever pieces it comes", async () => {
  const advisory = { event_id: "live", event: { "acme:iq:client_advisory": { advisory: { name: "too_many_streams" } } } };
  const crowded = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const piece of ["retry: 60000\n", `data: ${JSON.stringify(advisory)}\n\n`]) {
        controller.enqueue(new TextEncoder().encode(piece));
      }
      controller.close();
    },
  });
  const stream = () => new Response(crowded, { headers: { "Content-Type": "text/event-stream" } });
  const answers = [stream, () => new Response(null, { status: 503 }), () => new Response(null, { status: 401 })];
  const client = new Client({
    baseURL: "http://signet.test",
    credentials: { key: "key", secret: "secret" },
    retry: { attempts: 1 },
    fetch: () => Promise.resolve(answers.shift()?.() ?? Response.error()),
  });
  const waits: number[] = [];
  const pauses = { minDelay: 1, maxDelay: 100 };
  const reading = list(client.events({ pauses, onDisconnect: (_, wait) => waits.push(wait) }));
  await expect(reading).rejects.toMatchObject(refused({ status: 401 }));
  const [minute, next] = waits;
  expect(minute).toBeGreaterThanOrEqual(60_000);
  expect(next, `of the waits ${waits}`).toBeLessThanOrEqual(1.5);
});

test("a stream that says nothing for three heartbeats is lost", async ({ script }) => {
  const { client, requests } = await script([open, refuse(401, "credentials_wrong")]);
  const why: unknown[] = [];
  const pauses = { minDelay: 1, maxDelay: 1 };
  const stream = client.events({ heartbeat: 1, pauses, onDisconnect: (error) => why.push(error) });
  await expect(stream.next()).rejects.toMatchObject(refused({ status: 401 }));
  expect(why[0]).toBeInstanceOf(SilentError);
  expect(requests[0]?.headers["tt-x-features"]).toBe("heartbeat_1");
});

test("acknowledgements are repeated until they are taken", async ({ script }) => {
  let taken = () => {};
  const done = new Promise<void>((resolve) => (taken = resolve));
  const take: Answer = (response, request) => {
    sent(response, request);
    taken();
  };
  const lasting: Answer = (response, request) => {
    open(response, request);
    void done.then(() => response.end());
  };
  const answers = [eventStream("1", "2"), lasting, refuse(401, "credentials_wrong")];
  const acks = [cut, refuse(503, "draining"), take];
  const { client, acknowledged } = await script(answers, { retry: { attempts: 1 } }, acks);
  const stream = client.events({ acknowledge: true, pauses: { minDelay: 1, maxDelay: 1 } });
  await expect(list(stream)).rejects.toMatchObject(refused({ status: 401 }));
  expect(acknowledged).toHaveLength(3);
});

test("acknowledgements that are refused for good end the stream", async ({ script }) => {
  const { client } = await script([eventStream("1"), eventStream()], {}, [refuse(403, "origin_refused")]);
  const stream = client.events({ acknowledge: true, pauses: { minDelay: 5, maxDelay: 50 } });
  await expect(list(stream)).rejects.toMatchObject(refused({ status: 403 }));
});
