// Every operation and every kind of event of the document that the server shows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, type EventKind, type Operation, type Reply } from "#client";
import { operator } from "./server.js";

/** These answer with more than the reply, or with less. */
type Special =
  | "getEvents"
  | "createGroup"
  | "updateGroup"
  | "sendMessage"
  | "forwardMessage"
  | "createOrganization"
  | "addToOrganization"
  | "grantRole"
  | "getAttachment"
  | "getAvatar"
  | "exportUser"
  | "getHealth"
  | "getReadiness"
  | "getDocument"
  | "getDocument30";

/** It does not compile (below) if a method is missing, or promises another reply than the document. */
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

test("each operation has a method, which makes that call", async () => {
  assert.ok(complete);
  const document = (await operator.getDocument()) as unknown as Document;
  const made: string[] = [];
  const recorder = new Client({
    baseURL: "http://signet.test",
    credentials: { key: "key", secret: "secret" },
    fetch: async (url, init) => {
      made.push(`${init?.method} ${new URL(String(url)).pathname}`);
      return new Response('{"status":"success","reply":[]}');
    },
  });
  const methods = recorder as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
  const body = { key: "key", secret: "secret", users: [] };
  let operations = 0;
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, { operationId }] of Object.entries(item)) {
      operations++;
      assert.ok(methods[operationId], `${operationId} has no method`);
      const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      await methods[operationId](...names, body);
      assert.equal(made.pop(), `${method.toUpperCase()} ${path.replace(/[{}]/g, "")}`, operationId);
    }
  }
  assert.ok(operations > 90, `the document has only ${operations} operations`);
});

test("each kind of event has a type", async () => {
  const kinds: Record<EventKind, true> = {
    message: true,
    group_message: true,
    "message:status": true,
    "group:message:status": true,
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
  const document = (await operator.getDocument()) as unknown as Document;
  const documented = Object.keys(document.components.schemas.StreamEvent.properties.event.properties);
  assert.deepEqual(Object.keys(kinds).sort(), documented.map((type) => type.replace("tigertext:iq:", "")).sort());
});
