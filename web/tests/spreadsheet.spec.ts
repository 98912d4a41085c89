// Lists of people as spreadsheets save them. The vectors are those of the command line's reader.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Console } from "./fixtures/console.js";
import { expect, operator, test } from "./fixtures/test.js";

interface Vector {
  what: string;
  as?: "bytes" | "utf-16le" | "utf-16be";
  text: string;
  people?: object[];
  latin?: boolean;
  problem?: object;
}

const local = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const vectors = JSON.parse(readFileSync(local("../../internal/spreadsheet/testdata/vectors.json"), "utf8")) as Vector[];

/** bundle makes one script, for a browser, of what the console reads and writes files with. */
async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: 'export { readPeople } from "./console/state/spreadsheet"; export { formatCSV } from "./kit/csv";',
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

const wanted = ({ people, latin = false, problem }: Vector) => (problem ? { problem } : { people, latin });

test("files are read as the world writes them, and as the command line reads them", async ({ open }) => {
  expect(vectors.length).toBeGreaterThan(100);
  const page = await open(undefined, "/healthz");
  const all = JSON.stringify(vectors.map((vector) => [...bytes(vector)]));
  const read = await page.evaluate<object[]>(`${await bundle()}; ${all}.map((one) => files.readPeople(new Uint8Array(one)))`);
  for (const [i, vector] of vectors.entries()) expect.soft(read[i], vector.what).toEqual(wanted(vector));
});

test("what the console exports is taken back, in each language", async ({ open }) => {
  const page = await open(undefined, "/healthz");
  for (const language of ["en", "de", "fr"]) {
    const words = JSON.parse(readFileSync(local(`../src/text/${language}.json`), "utf8")) as Record<string, string>;
    const head = ["name", "username", "email", "jobTitle", "department", "lastSeen"].map((name) => words[`console.${name}`] ?? "");
    const rows = [head, ['=Jörg; "Joe"', "joerg", "j@example.com", "-", "@home, 2nd", "2026-11-21T08:15:30.123Z"]];
    const read = `files.readPeople(new TextEncoder().encode(files.formatCSV(${JSON.stringify(rows)})))`;
    expect(await page.evaluate<object>(`${await bundle()}; ${read}`), language).toEqual({
      people: [{ row: 2, display_name: '=Jörg; "Joe"', username: "joerg", emails: ["j@example.com"], title: "-", department: "@home, 2nd" }],
      latin: false,
    });
  }
});

test("a person imports what Excel saves, and what the console exports", async ({ hospital, open, server }) => {
  const { organization, alice } = await hospital({ alice: "Alice Ames" });
  const c = new Console(await open(operator, `/console/organizations/${organization}`));
  await c.elevate();
  const choose = c.dialog.getByLabel("Choose CSV file");
  await c.add("Import from CSV");
  const number = server.next();
  const saved = `User Name;Name;Phone;\r\n joerg-${number} ;Jörg "Joe" Müller\xa0;;\r\n`;
  await choose.setInputFiles({ name: "excel.csv", mimeType: "text/csv", buffer: Buffer.from(saved, "latin1") });
  await expect(c.dialog.getByText("read as Western European (windows-1252)")).toBeVisible();
  await c.dialog.getByRole("button", { name: "Create 1 account" }).click();
  await expect(c.dialog.getByText("1 account created.")).toBeVisible();
  const made = await server.operator.lookupUser(`joerg-${number}`);
  expect(made.display_name).toBe('Jörg "Joe" Müller');

  await c.dialog.getByRole("button", { name: "Close" }).click();
  await c.add("Import from CSV");
  const wrong = Buffer.from("username,issue key\nann,yes\nbob,perhaps\n");
  await choose.setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: wrong });
  await expect(c.dialog.getByRole("alert")).toHaveText("Row 3, issue key: write yes or no instead of “perhaps”.");
  await c.dialog.getByRole("button", { name: "Close" }).click();

  const download = c.page.waitForEvent("download");
  await c.listing("People").getByRole("button", { name: "Export", exact: true }).click();
  const exported = readFileSync(await (await download).path());
  expect(exported.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
  await c.add("Import from CSV");
  await choose.setInputFiles({ name: "People.csv", mimeType: "text/csv", buffer: exported });
  await expect(c.dialog.getByText("0 accounts can be created.")).toBeVisible(); // nobody is made twice
  const refused = c.dialog.getByRole("region", { name: "Rows with errors" });
  await expect(refused.getByRole("row").filter({ hasText: alice.name })).toContainText("username");
});
