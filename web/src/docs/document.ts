// The OpenAPI document that the server serves, as far as the API page shows it.
import { signal } from "@preact/signals";

/** A JSON Schema. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  allOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  anyOf?: readonly Schema[];
  enum?: readonly unknown[];
  const?: unknown;
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header" | "cookie";
  required?: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
}

interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: Readonly<Record<string, { $ref?: string; value?: unknown }>>;
}

export interface Answer {
  status: string;
  description: string;
  content?: Readonly<Record<string, Media>>;
}

/** One call. */
export interface Operation {
  id: string;
  method: string;
  path: string;
  tag: string;
  summary: string;
  description: string;
  parameters: readonly Parameter[];
  body: Readonly<Record<string, Media>>;
  answers: readonly Answer[];
}

interface Raw {
  info: { description: string };
  tags: readonly { name: string; description: string }[];
  paths: Readonly<Record<string, Readonly<Record<string, any>>>>;
}

/** Undefined while it is being loaded. */
export const introduction = signal<string | undefined>(undefined);
export const tags = signal<readonly { name: string; description: string }[]>([]);
export const operations = signal<readonly Operation[]>([]);

let root: Raw | undefined;

/** load fetches the document. */
export async function load(): Promise<void> {
  const answer = await fetch("/openapi.json");
  if (!answer.ok) throw new TypeError(answer.statusText);
  root = (await answer.json()) as Raw;
  tags.value = root.tags;
  operations.value = Object.entries(root.paths).flatMap(([path, item]) =>
    ["get", "post", "put", "delete"].filter((method) => item[method]).map((method) => read(method, path, item[method])));
  introduction.value = root.info.description;
}

function read(method: string, path: string, op: any): Operation {
  return {
    id: op.operationId,
    method: method.toUpperCase(),
    path,
    tag: op.tags[0],
    summary: op.summary,
    description: op.description ?? "",
    parameters: (op.parameters ?? []).map((one: Parameter) => resolve(one)),
    body: op.requestBody?.content ?? {},
    answers: Object.entries(op.responses).map(([status, one]) => ({ ...resolve(one as Answer), status })),
  };
}

/** resolve follows a reference within the document. */
export function resolve<T>(part: T): T {
  const ref = (part as { $ref?: string }).$ref;
  if (ref === undefined) return part;
  const found = ref.slice(2).split("/").reduce((at: any, key) => at?.[key], root);
  return { ...found, ...part, $ref: undefined };
}

/** merge returns a schema with what its parts say, of those that all hold. */
export function merge(given: Schema): Schema {
  const schema = resolve(given);
  return (schema.allOf ?? []).map(merge).reduce<Schema>((all, part) => ({
    ...part,
    ...all,
    properties: { ...part.properties, ...all.properties },
    required: [...(part.required ?? []), ...(all.required ?? [])],
  }), schema);
}

/** typeOf names the type of a schema, with its limits. */
export function typeOf(given: Schema): string {
  const schema = merge(given);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(" | ");
  const choice = schema.oneOf ?? schema.anyOf;
  if (choice) return [...new Set(choice.map(typeOf))].join(" | ");
  if (schema.type === "array") return `${schema.items ? typeOf(schema.items) : "any"}[]`;
  const from = schema.minimum ?? schema.minLength;
  const to = schema.maximum ?? schema.maxLength;
  let limits = "";
  if (from !== undefined) limits = to === undefined ? ` ≥ ${from}` : ` ${from}–${to}`;
  else if (to !== undefined) limits = ` ≤ ${to}`;
  return [schema.type ?? (schema.properties ? "object" : "any")].flat().join(" | ") + limits +
    (schema.format ? ` (${schema.format})` : "");
}

/** fieldsOf returns the fields of an object, or of the objects in a list. */
export function fieldsOf(given: Schema): readonly [string, Schema, boolean][] {
  const schema = merge(given);
  if (schema.items) return fieldsOf(schema.items);
  return Object.entries(schema.properties ?? {}).map(([name, one]) =>
    [name, resolve(one), schema.required?.includes(name) ?? false]);
}

/** examplesOf returns what a body may look like. */
export function examplesOf(media: Media | undefined): readonly unknown[] {
  if (!media) return [];
  if (media.example !== undefined) return [media.example];
  return Object.values(media.examples ?? {}).map((one) => resolve(one).value).filter((one) => one !== undefined);
}

/** find returns the calls that have all words, in any of what is said of them at the top. */
export function find(words: string): readonly Operation[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return operations.value.filter(({ id, method, path, tag, summary }) => {
    const said = `${id} ${method} ${path} ${tag} ${summary}`.toLowerCase();
    return wanted.every((word) => said.includes(word));
  });
}
