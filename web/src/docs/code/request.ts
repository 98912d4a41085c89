// The request that the code of a call makes, whatever the language.
import type { Answer, Operation, Parameter } from "./openapi";

/** What the reader has; placeholders stand for the rest. */
export interface Reader {
  /** The server's address, without /v2. */
  base: string;
  key?: string;
  secret?: string;
  organization?: string;
  /** For the calls that sign in, which take these in the place of a key. */
  username?: string;
  password?: string;
  /** The value of a session's cookie. */
  session?: string;
}

/** What the reader filled in for one call. */
export interface Filled {
  /** Parameters by nameOf. */
  parameters: Readonly<Record<string, string>>;
  /** The body as JSON, as far as it was changed. */
  body?: string;
}

/** The forms that a call has: with a body of JSON or none, with a file, or followed as it happens. */
export type Form = "json" | "file" | "stream";

export interface File {
  field: string;
  name: string;
  type: string;
}

export type Body =
  | { kind: "json"; text: string; value?: unknown }
  | { kind: "form"; fields: readonly (readonly [string, string])[]; file: File };

/** Who calls: nobody, or what Authorization has before and after its base64. */
export type Credentials = { scheme: "Basic"; name: string; secret: string } | { scheme: "XMPP-Simple"; words: string };

/** What comes back: nothing, JSON, something that may be empty or is plain text, a file, or server-sent events. */
export type Reply = { kind: "nothing" | "json" | "text" | "stream" } | { kind: "file"; name: string };

export interface Request {
  method: string;
  url: string;
  credentials?: Credentials;
  headers: readonly (readonly [string, string])[];
  body?: Body;
  reply: Reply;
  /** Headers of the answer that say something. */
  told: readonly string[];
}

/** nameOf names a parameter apart from those of the same name elsewhere. */
export function nameOf({ in: place, name }: Pick<Parameter, "in" | "name">): string {
  return `${place}.${name}`;
}

/** formsOf lists the forms that a call has, the plainest first. */
export function formsOf(call: Operation): readonly Form[] {
  const forms: Form[] = ["json"];
  if (fileOf(call)) forms.push("file");
  if (call.answers.some(({ status, content }) => status === "200" && "text/event-stream" in content)) forms.push("stream");
  return forms;
}

/** requestOf is the request of a call, with examples of the document for what has to be there. */
export function requestOf(
  call: Operation, form: Form, reader: Reader, filled: Filled = { parameters: {} },
): Request {
  const values = call.parameters.map((one) => [one, valueOf(one, call, reader, filled)] as const)
    .filter(([{ in: place }, value]) => value !== "" && place !== "cookie");
  const at = (place: string) => values.filter(([one]) => one.in === place).map(([{ name }, value]) => [name, value] as const);
  const inPath = new Map(at("path"));
  const path = call.path.replace(/\{(\w+)\}/g, (_, name: string) => encode(inPath.get(name) ?? name.toUpperCase()));
  const query = at("query").map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&");
  const body = form === "file" ? formOf(call) : jsonOf(call, filled);
  const credentials = credentialsOf(call, reader);
  const headers = [
    ...(form === "stream" ? [["Accept", "text/event-stream"] as const] : []),
    ...(isForPages(call) ? sessionOf(reader) : []),
    ...at("header"),
    ...(body?.kind === "json" ? [["Content-Type", "application/json"] as const] : []),
  ];
  return {
    method: call.method,
    url: reader.base.replace(/\/+$/, "") + path + (query && `?${query}`),
    ...(credentials && { credentials }),
    headers,
    ...(body && { body }),
    reply: form === "stream" ? { kind: "stream" } : replyOf(call),
    told: toldBy(call),
  };
}

/** exampleOf is the body that the document shows first; undefined where it shows none. */
export function exampleOf(call: Operation): unknown {
  return call.body["application/json"]?.examples[0];
}

/** pretty writes JSON for people, in which nothing is left that some language takes for the end of a line. */
export function pretty(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, escaped);
}

/** escaped writes a unit of UTF-16 as nearly all languages do. */
export function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** whole replaces the halves of characters, which no UTF-8 has. */
export function whole(words: string): string {
  return words.replace(/\p{Surrogate}/gu, "\ufffd");
}

function valueOf(one: Parameter, call: Operation, reader: Reader, filled: Filled): string {
  const own = filled.parameters[nameOf(one)];
  if (own) return whole(own);
  const names = (one.in === "path" && one.name === "organization") || /-X-Organization-Key$/.test(one.name);
  if (names && reader.organization) return whole(reader.organization);
  return one.required || (names && createsPeople(call)) ? String(one.examples[0] ?? one.name.toUpperCase()) : "";
}

/** createsPeople tells the two calls that do not find the organization by themselves. */
function createsPeople({ method, path }: Operation): boolean {
  return method === "POST" && /^\/v2\/user(\/bulk)?$/.test(path);
}

/** encode leaves nothing of a text that an address, a shell or a language would take for its own. */
function encode(words: string): string {
  return encodeURIComponent(whole(words)).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function jsonOf(call: Operation, { body: own }: Filled): Body | undefined {
  const media = call.body["application/json"];
  if (!media || (own === undefined && media.examples.length === 0)) return undefined;
  if (own === undefined) {
    const value = media.examples[0];
    const isEmpty = JSON.stringify(value) === "{}";
    return isEmpty && !call.bodyRequired ? undefined : { kind: "json", text: pretty(value), value };
  }
  try {
    const value: unknown = JSON.parse(own);
    return { kind: "json", text: pretty(value), value };
  } catch {
    return { kind: "json", text: whole(own) }; // it is being written
  }
}

/** fileOf is the part of a call's form that is a file. */
function fileOf(call: Operation): File | undefined {
  const { encoding = {} } = call.body["multipart/form-data"] ?? { examples: [] };
  const [found] = Object.entries(encoding);
  if (!found) return undefined;
  const [field, { contentType = "" }] = found;
  return contentType.startsWith("image/")
    ? { field, name: "picture.png", type: "image/png" }
    : { field, name: "report.pdf", type: "application/pdf" };
}

/** formOf is the example of a call as a form with a file. A list is a repeated field, an object its JSON. */
function formOf(call: Operation): Body {
  const file = fileOf(call);
  if (!file) throw new Error(`${call.id} takes no file`);
  const fields = Object.entries(exampleOf(call) ?? {}).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, typeof one === "string" ? whole(one) : JSON.stringify(one)] as const));
  return { kind: "form", fields, file };
}

/** isForPages tells the calls that a page makes with the cookie of its session. */
function isForPages({ method, path }: Operation): boolean {
  return path.startsWith("/v2/session") && !(method === "POST" && path === "/v2/session");
}

function credentialsOf(call: Operation, reader: Reader): Credentials | undefined {
  const { username = "USERNAME", password = "PASSWORD" } = reader;
  const [first] = call.security;
  if (!first || first.length === 0 || isForPages(call)) return undefined;
  if (first.includes("xmpp_simple")) return { scheme: "XMPP-Simple", words: `PRODUCT_KEY:${username}:${password}` };
  if (call.path.endsWith("/login")) return { scheme: "Basic", name: username, secret: password };
  return { scheme: "Basic", name: whole(reader.key || "YOUR_KEY"), secret: whole(reader.secret || "YOUR_SECRET") };
}

/** sessionOf are the headers that a browser sends for a page of the server's own. */
function sessionOf({ base, session = "YOUR_SESSION" }: Reader): (readonly [string, string])[] {
  const { origin, protocol, port } = new URL(base);
  const name = (protocol === "https:" ? "__Host-signet" : "signet-session") + (port && `-${port}`);
  return [["Cookie", `${name}=${session}`], ["Origin", origin]];
}

/** successes are the answers to what was carried out whole. */
function successes(call: Operation): readonly Answer[] {
  return call.answers.filter(({ status }) => /^20[0-5]$/.test(status));
}

function replyOf(call: Operation): Reply {
  const answers = successes(call);
  const [kind] = answers.flatMap(({ content }) => Object.keys(content));
  if (kind === undefined) return { kind: "nothing" };
  if (kind === "application/json" && answers.every(({ content }) => kind in content)) return { kind: "json" };
  if (kind === "application/json" || kind.startsWith("text/")) return { kind: "text" };
  const name = call.path.split("/").filter((part) => !part.startsWith("{")).at(-1) ?? "answer";
  return { kind: "file", name: name + (kind === "application/zip" ? ".zip" : "") };
}

const usual = /^(Request-Id|Cache-Control|RateLimit-.*|X-.*|ETag|Content-.*|Accept-Ranges|Upgrade)$/;

function toldBy(call: Operation): readonly string[] {
  return [...new Set(successes(call).flatMap(({ headers }) => headers))].filter((name) => !usual.test(name));
}
