// How texts and values stand in source code.
import { escaped, whole } from "./request";

/** quoted is a text in double quotes, with escapes that Go, TypeScript, Python, Java and C# read alike. */
export function quoted(words: string): string {
  return JSON.stringify(whole(words)).replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, escaped);
}

/** indent moves the lines of a text to the right, but not the first. */
export function indent(words: string, by: string): string {
  return words.replaceAll("\n", `\n${by}`);
}

/** Syntax is how a language writes what JSON has. */
interface Syntax {
  /** For one level. */
  step: string;
  /** The name of a member. */
  name: (name: string) => string;
  constants: Readonly<Record<"true" | "false" | "null", string>>;
}

/** literal writes a value of JSON as one of a language. */
export function literal(value: unknown, syntax: Syntax, at = ""): string {
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number") return JSON.stringify(value);
  if (typeof value !== "object" || value === null) return syntax.constants[String(value) as "null"];
  const isList = Array.isArray(value);
  const inner = at + syntax.step;
  const members = isList
    ? value.map((one) => literal(one, syntax, inner))
    : Object.entries(value).map(([name, one]) => `${syntax.name(name)}: ${literal(one, syntax, inner)}`);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  if (members.length === 0) return open + close;
  const line = members.join(", ");
  if (isList && !line.includes("\n") && line.length < 60) return `[${line}]`;
  return `${open}\n${members.map((member) => `${inner}${member},\n`).join("")}${at}${close}`;
}
