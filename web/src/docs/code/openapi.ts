// Reads an OpenAPI document, as far as the API page shows it.

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
  default?: unknown;
  example?: unknown;
  examples?: readonly unknown[];
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
}

export type Place = "path" | "query" | "header" | "cookie";

export interface Parameter {
  name: string;
  in: Place;
  required?: boolean;
  description?: string;
  schema: Schema;
  /** What it may be, the most usual first. */
  examples: readonly unknown[];
}

export interface Media {
  schema?: Schema;
  examples: readonly unknown[];
  /** The content type of parts that are files. */
  encoding?: Readonly<Record<string, { contentType?: string }>>;
}

export type Content = Readonly<Record<string, Media>>;

export interface Answer {
  status: string;
  description: string;
  headers: readonly string[];
  content: Content;
}

/** One call. */
export interface Operation {
  id: string;
  method: string;
  path: string;
  tag: string;
  summary: string;
  description: string;
  /** Ways to say who calls, each by the names of its schemes; none: nobody is asked. */
  security: readonly (readonly string[])[];
  parameters: readonly Parameter[];
  body: Content;
  bodyRequired: boolean;
  answers: readonly Answer[];
}

export interface Tag {
  name: string;
  description: string;
}

export interface Described {
  introduction: string;
  tags: readonly Tag[];
  operations: readonly Operation[];
}

/** A document as it was loaded. */
export interface Raw {
  info: { description: string };
  tags: readonly Tag[];
  security?: readonly Readonly<Record<string, unknown>>[];
  paths: Readonly<Record<string, Readonly<Record<string, any>>>>;
  components?: unknown;
}

const methods = ["get", "post", "put", "delete"] as const;

/** describe reads the calls of a document. Only schemas keep their references. */
export function describe(root: Raw): Described {
  return {
    introduction: root.info.description,
    tags: root.tags,
    operations: Object.entries(root.paths).flatMap(([path, item]) =>
      methods.filter((method) => item[method]).map((method) => read(root, method, path, item[method]))),
  };
}

function read(root: Raw, method: string, path: string, op: any): Operation {
  const body = resolve(root, op.requestBody ?? {});
  return {
    id: op.operationId,
    method: method.toUpperCase(),
    path,
    tag: op.tags[0],
    summary: op.summary,
    description: op.description ?? "",
    security: (op.security ?? root.security ?? []).map((one: object) => Object.keys(one)),
    parameters: (op.parameters ?? []).map((one: object) => parameter(root, resolve(root, one))),
    body: contentOf(root, body.content),
    bodyRequired: body.required ?? false,
    answers: Object.entries(op.responses).map(([status, one]) => {
      const answer = resolve(root, one as any);
      return {
        status,
        description: answer.description,
        headers: Object.keys(answer.headers ?? {}),
        content: contentOf(root, answer.content),
      };
    }),
  };
}

function parameter(root: Raw, given: any): Parameter {
  return { ...given, examples: examplesOf(root, given) };
}

function contentOf(root: Raw, given: Readonly<Record<string, any>> = {}): Content {
  return Object.fromEntries(Object.entries(given).map(([kind, media]) => [
    kind,
    { ...media, examples: examplesOf(root, media) },
  ]));
}

/** examplesOf returns those of a parameter or a body, whether it has one or several with names. */
function examplesOf(root: Raw, of: { example?: unknown; examples?: Readonly<Record<string, object>> }): unknown[] {
  if (of.example !== undefined) return [of.example];
  return Object.values(of.examples ?? {})
    .map((one) => (resolve(root, one) as { value?: unknown }).value)
    .filter((value) => value !== undefined);
}

/** resolve follows a reference within the document. What stands beside the reference goes before what it leads to. */
export function resolve<T extends object>(root: Raw, part: T): T {
  const { $ref, ...own } = part as { $ref?: string };
  if ($ref === undefined) return part;
  const found = $ref.slice("#/".length).split("/").reduce((at: any, key) => at?.[key], root);
  return { ...resolve(root, found ?? {}), ...own } as T;
}
