// Every operation and every kind of event of the document that the server shows.
import { Client, type EventKind, type Operation, type Reply } from "#client";
import type { Server } from "../fixtures/stage.js";
import { expect, test } from "./test.js";

/** These answer with more than the reply, or with less; or with what depends on their options. */
type Special =
  | "getEvents"
  | "createGroup"
  | "updateGroup"
  | "sendMessage"
  | "forwardMessage"
  | "createOrganization"
  | "addToOrganization"
  | "getAudit"
  | "getOrganizationAudit"
  | "grantRole"
  | "getHistory"
  | "getAttachment"
  | "getAvatar"
  | "getBrandLogo"
  | "exportUser"
  | "getDutyCalendar"
  | "getHealth"
  | "getReadiness"
  | "getDocument"
  | "getDocument30";

/** `tsc -p tests` refuses `complete` if a method is missing, or promises another reply than the document. */
type Wrong = {
  [O in Exclude<Operation, Special>]: O extends keyof Client
    ? Client[O] extends (...args: never[]) => Promise<infer R> ? ([Reply<O>] extends [R] ? never : O) : O
    : O;
}[Exclude<Operation, Special>];
const complete: [Wrong] extends [never] ? true : Wrong = true;

interface Document {
  paths: Record<string, Record<string, { operationId: string }>>;
  components: { schemas: { StreamEvent: { properties: { event: { properties: object } } } } };
}

async function documentOf(server: Server): Promise<Document> {
  return (await server.operator.getDocument()) as unknown as Document;
}

/** recorder is a client whose calls go nowhere, and the list of those it made. */
function recorder() {
  const made: string[] = [];
  const client = new Client({
    baseURL: "http://signet.test",
    credentials: { key: "key", secret: "secret" },
    fetch: async (url, init) => {
      made.push(`${init?.method} ${new URL(String(url)).pathname}`);
      return new Response('{"status":"success","reply":[]}');
    },
  });
  return { made, methods: client as unknown as Record<string, (...args: unknown[]) => Promise<unknown>> };
}

test("each operation has a method, which makes that call", async ({ server }) => {
  expect(complete).toBe(true);
  const { made, methods } = recorder();
  const body = { key: "key", secret: "secret", users: [] };
  const documented: string[] = [];
  for (const [path, item] of Object.entries((await documentOf(server)).paths)) {
    for (const [method, { operationId }] of Object.entries(item)) {
      documented.push(`${method.toUpperCase()} ${path.replace(/[{}]/g, "")}`);
      expect(methods, "a method for each operation").toHaveProperty(operationId);
      const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      await methods[operationId]?.(...names, body);
    }
  }
  expect(made).toStrictEqual(documented);
  expect(documented.length, "operations of the document").toBeGreaterThan(90);
});

test("each kind of event has a type", async ({ server }) => {
  const kinds: Record<EventKind, true> = {
    message: true,
    group_message: true,
    "message:status": true,
    "group:message:status": true,
    "message:escalated": true,
    friends: true,
    bang: true,
    update: true,
    "account:settings": true,
    admin_request: true,
    conversation_mute: true,
    "message:is_typing": true,
    presence: true,
    client_advisory: true,
    "sse:heartbeat": true,
    reconnect: true,
  };
  const { StreamEvent } = (await documentOf(server)).components.schemas;
  const documented = Object.keys(StreamEvent.properties.event.properties);
  expect(Object.keys(kinds).sort()).toStrictEqual(documented.map((type) => type.replace("tigertext:iq:", "")).sort());
});
