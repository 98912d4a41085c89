// Writes the types of the interface, src/client/schema.ts, from its OpenAPI document.
//
// openapi-typescript reads only a part of JSON Schema: beside an `allOf` it drops `required`,
// and it takes a branch of an `anyOf` that only restricts for one that admits everything. So
// the schemas are put into an equal form that it reads whole.
import { readFileSync, writeFileSync } from "node:fs";
import { CORE_SCHEMA, load } from "js-yaml";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

const [from, to] = process.argv.slice(2);
const doc = load(readFileSync(from, "utf8"), { schema: CORE_SCHEMA });
const blob = ts.factory.createTypeReferenceNode("Blob");

const ast = await openapiTS(simplify(doc), {
  defaultNonNullable: false,
  emptyObjectsUnknown: true,
  transform: (schema) => (schema.contentMediaType === "application/octet-stream" ? blob : undefined),
});
writeFileSync(to, `// Code generated from openapi/v2.yaml. DO NOT EDIT.\n\n${astToString(ast)}`);

/** simplify returns a part of the document in the form that the generator reads. */
function simplify(node) {
  if (Array.isArray(node)) return node.map(simplify);
  if (node === null || typeof node !== "object") return node;
  const schema = node.allOf ? flatten(node) : { ...node };
  for (const union of ["anyOf", "oneOf"]) {
    if (schema[union]?.some(restrictsOnly)) delete schema[union];
  }
  delete schema.discriminator; // each branch has its constant
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, simplify(value)]));
}

/** flatten merges an object schema with those of its allOf. */
function flatten({ allOf, ...own }) {
  const out = { type: "object", properties: {}, required: [] };
  for (const part of [...allOf.map((s) => (s.$ref ? resolve(s.$ref) : s)), own]) {
    const { properties = {}, required = [], ...rest } = part.allOf ? flatten(part) : part;
    Object.assign(out, rest, {
      properties: { ...out.properties, ...properties },
      required: [...new Set([...out.required, ...required])],
    });
  }
  out.properties = Object.fromEntries(Object.entries(out.properties).filter(([, schema]) => schema !== false));
  return out;
}

function resolve(ref) {
  return ref.slice("#/".length).split("/").reduce((node, name) => node[name], doc);
}

function restrictsOnly(schema) {
  return ["$ref", "type", "enum", "properties", "allOf", "anyOf", "oneOf"].every((name) => !(name in schema)) &&
    !(typeof schema.const === "string");
}
