// Lists of people as spreadsheets save them. The vectors are those of the command line's reader.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { build } from "esbuild";
import { expect, test } from "./fixtures/test.js";

interface Vector {
  what: string;
  as?: "bytes" | "utf-16le" | "utf-16be";
  text: string;
  choices?: object;
  columns?: object[];
  people?: object[];
  problems?: object[];
  example?: number;
  latin?: boolean;
  problem?: object;
}

/** What the reader says of a file. */
type Read = { problem: object } | { columns: Record<string, string>[]; people: object[] };

const local = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const data = (name: string): unknown => JSON.parse(readFileSync(local(`../../internal/spreadsheet/testdata/${name}.json`), "utf8"));
const vectors = data("vectors") as Vector[];

/** bundle makes one script, for a browser, of what the console reads and writes files with. */
async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        export { addressesOf, booleans, readPeople } from "./console/state/spreadsheet";
        export { fields } from "./console/state/columns";
        export { formatCSV } from "./kit/csv";`,
      resolveDir: local("../src"),
      loader: "ts",
    },
    bundle: true,
    format: "iife",
    globalName: "files",
    write: false,
    logLevel: "error",
  });
  return String(outputFiles[0]?.text);
}

/** bytes is the file of a vector. */
function bytes({ as, text }: Vector): Uint8Array {
  switch (as) {
    case "bytes":
      return Buffer.from(text, "latin1");
    case "utf-16le":
      return Buffer.from(text, "utf16le");
    case "utf-16be":
      return Buffer.from(text, "utf16le").swap16();
    default:
      return Buffer.from(text);
  }
}

/** run evaluates an expression over what reads and writes files. */
async function run<T>(page: Page, expression: string): Promise<T> {
  return page.evaluate<T>(`${await bundle()}; ${expression}`);
}

/** wanted is what a vector says of its file; columns that it does not name are not looked at. */
function wanted({ columns, people, problems = [], example = 0, latin = false, problem }: Vector, read: Read | undefined): object {
  if (problem) return { problem };
  const seen = columns ?? (read && "columns" in read ? read.columns : []);
  return { columns: seen, people, problems, example, latin };
}

/** told is what the reader says, without what is empty. */
function told(read: Read | undefined): Read | undefined {
  if (!read || !("columns" in read)) return read;
  return { ...read, columns: read.columns.map((one) => Object.fromEntries(Object.entries(one).filter(([, value]) => value !== ""))) };
}

test("files are read as the world writes them, and as the command line reads them", async ({ open }) => {
  expect(vectors.length).toBeGreaterThan(200);
  const page = await open(undefined, "/healthz");
  const all = JSON.stringify(vectors.map((vector) => [[...bytes(vector)], vector.choices ?? {}]));
  const read = await run<Read[]>(page, `${all}.map(([one, choices]) => files.readPeople(new Uint8Array(one), choices))`);
  for (const [i, vector] of vectors.entries()) {
    const got = told(read[i]);
    expect.soft(got, vector.what).toEqual(wanted(vector, got));
  }
});

test("columns and cells have the names that the command line knows", async ({ open }) => {
  const names = data("names") as { fields: { name: string; aliases: string[] }[]; yes: string[]; no: string[] };
  const page = await open(undefined, "/healthz");
  expect(await run(page, "({ fields: files.fields, ...files.booleans })")).toEqual({
    ...names, fields: names.fields.map(({ name, aliases }) => [name, aliases.join(" ")]),
  });
});

test("rows are written as the command line writes them", async ({ open }) => {
  const page = await open(undefined, "/healthz");
  for (const { what, rows, text } of data("written") as { what: string; rows: string[][]; text: string }[]) {
    expect.soft(await run(page, `files.formatCSV(${JSON.stringify(rows)})`), what).toBe(text);
  }
});

test("rows of one person share an address", async ({ open }) => {
  const page = await open(undefined, "/healthz");
  const person = { row: 2, username: "Ann", emails: ["A@b.c"], phones: ["+49 (30) 1"] };
  expect(await run(page, `files.addressesOf(${JSON.stringify(person)})`)).toEqual(["username ann", "email a@b.c", "phone +49301"]);
});
