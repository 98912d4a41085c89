// What a JSON Schema says: its type in words, its fields, and a value that it admits.
import { type Raw, resolve, type Schema } from "./code/openapi";

let root: Raw = { info: { description: "" }, tags: [], paths: {} };

/** readFrom says in which document the references of schemas lead somewhere. */
export function readFrom(document: Raw): void {
  root = document;
}

/** A field of an object: its name, its schema, and whether it is always there. */
export type Fields = readonly [name: string, schema: Schema, required: boolean];

/** merge returns a schema with what its parts say, of those that all hold. */
export function merge(given: Schema): Schema {
  const schema = resolve(root, given);
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
export function fieldsOf(given: Schema): readonly Fields[] {
  const schema = merge(given);
  if (schema.items) return fieldsOf(schema.items);
  return Object.entries(schema.properties ?? {})
    .filter(([, one]) => typeof one === "object") // false: it must not be there
    .map(([name, one]) => [name, resolve(root, one), schema.required?.includes(name) ?? false]);
}

/** How deep a value is made: some schemas hold themselves. */
const deepest = 6;

const texts: Readonly<Record<string, string>> = {
  "date-time": "2026-11-21T08:15:30.123Z",
  date: "2026-11-21",
  uri: "https://example.org/",
  email: "bob@example.com",
  uuid: "01a1fd2c-bd4b-7475-ad90-81fa38976503",
};

/** sample makes a value that a schema admits, where a document has no example. */
export function sample(given: Schema, depth = 0): unknown {
  const schema = merge(given);
  if (schema.example !== undefined) return schema.example;
  const [told = schema.default] = schema.examples ?? [];
  if (told !== undefined) return told;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [first] = schema.oneOf ?? schema.anyOf ?? [];
  if (first && !schema.properties) return sample(first, depth + 1);
  const type = [schema.type ?? (schema.properties ? "object" : "string")].flat()[0];
  switch (type) {
    case "object":
      return depth > deepest ? {} : Object.fromEntries(fieldsOf({ ...schema, items: undefined } as Schema)
        .map(([name, one]) => [name, sample(one, depth + 1)]));
    case "array":
      return schema.items && depth <= deepest ? [sample(schema.items, depth + 1)] : [];
    case "integer":
    case "number":
      return schema.minimum ?? 0;
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return texts[schema.format ?? ""] ?? "text".padEnd(schema.minLength ?? 0, "t").slice(0, schema.maxLength);
  }
}
