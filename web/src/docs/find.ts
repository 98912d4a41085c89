// Finds calls, their fields, and what the guides say.
import type { Operation, Schema } from "./code/openapi";
import { nameOf } from "./code/request";
import { fieldsOf } from "./schema";
import type { Section } from "./tree";

/** Kinds of what is found, in the order in which they are shown. */
export const kinds = ["calls", "fields", "guides"] as const;
export type Kind = (typeof kinds)[number];

export interface Hit {
  kind: Kind;
  to: string;
  title: string;
  /** What stands below the title: an address, or words around the hit. */
  said: string;
  method?: string;
}

/** How many of a kind are shown. */
const most: Readonly<Record<Kind, number>> = { calls: 20, fields: 8, guides: 12 };

/** Something that may be found: what stands in front counts for more. */
export interface Entry extends Hit {
  first: string;
  rest: string;
}

/** How deep the fields of fields are looked for. */
const deepest = 4;

/** wordsOf are the words of what somebody typed. */
export function wordsOf(typed: string): readonly string[] {
  return typed.toLowerCase().split(/\s+/).filter(Boolean);
}

/** entriesOf lists all that may be found. */
export function entriesOf(calls: readonly Operation[], sections: readonly Section[]): readonly Entry[] {
  return [...calls.map(callEntry), ...calls.flatMap(fieldEntries), ...sections.map(sectionEntry)];
}

/** search returns what has all words, the best of each kind first. */
export function search(typed: string, entries: readonly Entry[]): readonly Hit[] {
  const words = wordsOf(typed);
  if (words.length === 0) return [];
  return kinds.flatMap((kind) => entries
    .filter((entry) => entry.kind === kind)
    .map((entry) => ({ entry, worth: worthOf(entry, words) }))
    .filter(({ worth }) => worth > 0)
    .sort((a, b) => b.worth - a.worth)
    .slice(0, most[kind])
    .map(({ entry: { first: _, rest, ...hit } }) => (kind === "guides" ? { ...hit, said: around(rest, words) } : hit)));
}

/** worthOf is 0 where a word is missing. */
function worthOf({ first, rest }: Entry, words: readonly string[]): number {
  let worth = 0;
  for (const word of words) {
    const at = first.toLowerCase().indexOf(word);
    if (at >= 0) worth += at === 0 || !/[\p{L}\p{N}]/u.test(first.charAt(at - 1)) ? 4 : 2;
    else if (rest.toLowerCase().includes(word)) worth += 1;
    else return 0;
  }
  return worth;
}

function callEntry({ id, method, path, tag, summary }: Operation): Entry {
  return { kind: "calls", to: `/docs/${id}`, title: summary, said: path, method, first: summary, rest: `${method} ${path} ${id} ${tag}` };
}

function fieldEntries(call: Operation): Entry[] {
  const entry = (name: string, anchor: string, description = ""): Entry => ({
    kind: "fields", to: `/docs/${call.id}#${anchor}`, title: name, said: call.summary, first: name, rest: description,
  });
  const below = (schema: Schema | undefined, at: string, depth = 0): Entry[] => (!schema || depth > deepest ? [] : fieldsOf(schema)
    .flatMap(([name, one]) => [entry(name, `${at}.${name}`, one.description), ...below(one, `${at}.${name}`, depth + 1)]));
  const body = call.body["application/json"] ?? Object.values(call.body)[0];
  return [
    ...call.parameters.map((one) => entry(one.name, nameOf(one), one.description)),
    ...below(body?.schema, "body"),
  ];
}

function sectionEntry({ guide, id, heading, text }: Section): Entry {
  return { kind: "guides", to: `/docs/guides/${guide}${id && `#${id}`}`, title: heading, said: "", first: heading, rest: text };
}

/** How many signs of a text are shown before and after a hit. */
const before = 40;
const after = 100;

/** around is the part of a text in which one of the words stands first. */
export function around(text: string, words: readonly string[]): string {
  const low = text.toLowerCase();
  const places = words.map((word) => low.indexOf(word)).filter((at) => at >= 0);
  const at = places.length > 0 ? Math.min(...places) : 0;
  const from = at <= before ? 0 : text.lastIndexOf(" ", at - before) + 1;
  const end = text.length <= at + after ? text.length : text.lastIndexOf(" ", at + after);
  return `${from > 0 ? "…" : ""}${text.slice(from, Math.max(end, at))}${end < text.length ? "…" : ""}`;
}

/** marked parts a text into what was looked for, in the odd places, and what stands between. */
export function marked(text: string, words: readonly string[]): readonly string[] {
  if (words.length === 0) return [text];
  const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  return text.split(new RegExp(`(${pattern})`, "giu"));
}
