// How much a browser loads before a page does anything. No browser is needed: it is what `make pages` has made.
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, test } from "./fixtures/test.js";

/** How large the script of a page may be, compressed, in bytes. */
const most = 80 * 1024;

const dist = fileURLToPath(new URL("../dist/", import.meta.url));

/** scripts are the files of script that a page loads at once: its own, and those that they import. */
function scripts(page: string): string[] {
  const all = new Set(found(/\/assets\/([^"]+\.js)/g, readFileSync(dist + page, "utf8")));
  for (const name of all) {
    for (const more of found(/(?:from|import)\s*"\.\/([^"]+\.js)"/g, asset(name).toString())) all.add(more);
  }
  return [...all];
}

function found(pattern: RegExp, content: string): string[] {
  return [...content.matchAll(pattern)].map((match) => match[1] ?? "");
}

function asset(name: string): Buffer {
  return readFileSync(`${dist}assets/${name}`);
}

test("pages are small: the script of each with what they share, in English", () => {
  const pages = readdirSync(dist).filter((name) => name.endsWith(".html"));
  expect(pages.length).toBeGreaterThanOrEqual(2);
  for (const page of pages) {
    const files = scripts(page);
    expect(files, `${page} has a script`).not.toEqual([]);
    const total = files.reduce((sum, name) => sum + gzipSync(asset(name), { level: 9 }).length, 0);
    test.info().annotations.push({ type: page, description: `${total} bytes of script in ${files.length} files` });
    expect.soft(total, `${page}: bytes of script`).toBeLessThanOrEqual(most);
  }
});
