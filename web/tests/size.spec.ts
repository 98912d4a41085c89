// How much a browser loads before a page does anything, as it comes over the line. No browser is needed.
import { get } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "./fixtures/test.js";

const codings = { gzip: gunzipSync, br: brotliDecompressSync } as const;
type Coding = keyof typeof codings;

/** How large the script of a page may be, in bytes as it comes over the line, in English. Browsers take br over HTTPS. */
const most: Readonly<Record<Coding, number>> = { gzip: 66 * 1024, br: 60 * 1024 };

/** What draws curves comes behind the page, where there are some: uPlot, and what is around it. */
const mostOfPlots: Readonly<Record<Coding, number>> = { gzip: 32 * 1024, br: 29 * 1024 };

/** Smaller files may be as they are, in bytes: compressed, they would get larger. */
const tiny = 256;

/** fetched is a file as the server sends it to a browser that takes one coding, and what is in it. */
async function fetched(address: string, coding: Coding): Promise<{ bytes: number; content: string }> {
  return new Promise((resolve, reject) => {
    get(address, { headers: { "Accept-Encoding": coding } }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("error", reject);
      answer.on("end", () => {
        const body = Buffer.concat(parts);
        const { statusCode, headers } = answer;
        const coded = headers["content-encoding"] === coding && headers.vary === "Accept-Encoding";
        if (statusCode === 200 && coded) resolve({ bytes: body.length, content: codings[coding](body).toString() });
        else if (statusCode === 200 && body.length < tiny) resolve({ bytes: body.length, content: body.toString() });
        else reject(new Error(`${address} is not sent as ${coding}: ${statusCode} ${JSON.stringify(headers)}`));
      });
    }).on("error", reject);
  });
}

function found(pattern: RegExp, content: string): string[] {
  return [...content.matchAll(pattern)].map((match) => match[1] ?? "");
}

/** script is how much script a page loads at once: its own files, and those that they import. */
async function script(origin: string, page: string, coding: Coding): Promise<{ files: number; bytes: number; lost: string[] }> {
  const { content } = await fetched(origin + page, coding);
  const named = new Set(found(/\/assets\/([^"]+\.js)/g, content));
  const all = new Set(named);
  let bytes = 0;
  for (const name of all) {
    const file = await fetched(`${origin}/assets/${name}`, coding);
    bytes += file.bytes;
    for (const more of found(/(?:from|import)\s*"\.\/([^"]+\.js)"/g, file.content)) all.add(more);
  }
  return { files: all.size, bytes, lost: [...all].filter((name) => !named.has(name)) };
}

for (const page of ["/", "/console", "/docs"]) {
  for (const coding of ["gzip", "br"] as const) {
    test(`the script of ${page} is small over the line, by ${coding}`, async ({ server }) => {
      const { files, bytes, lost } = await script(server.direct, page, coding);
      test.info().annotations.push({ type: page, description: `${bytes} bytes of script in ${files} files, by ${coding}` });
      expect(files).toBeGreaterThan(1);
      expect(bytes).toBeLessThanOrEqual(most[coding]);
      // What is only found in a file that has come would be asked for one journey later.
      expect(lost, "files of script that the page does not name").toEqual([]);
    });
  }
}

for (const coding of ["gzip", "br"] as const) {
  test(`what draws curves comes behind the page, and is small over the line, by ${coding}`, async ({ server }) => {
    const { content } = await fetched(`${server.direct}/console`, coding);
    const atOnce = new Set(found(/\/assets\/([^"]+\.js)/g, content));
    const later = new Set<string>();
    for (const name of atOnce) {
      const file = await fetched(`${server.direct}/assets/${name}`, coding);
      expect(file.content, name).not.toContain('"uplot"'); // the name of its class
      for (const more of found(/import\("\.\/(plots-[^"]+\.js)"\)/g, file.content)) later.add(more);
    }
    expect([...later]).toHaveLength(1);
    let bytes = 0;
    for (const name of later) {
      const file = await fetched(`${server.direct}/assets/${name}`, coding);
      bytes += file.bytes;
      const needs = found(/(?:from|import)\s*"\.\/([^"]+\.js)"/g, file.content);
      for (const more of needs.filter((one) => !atOnce.has(one))) later.add(more);
    }
    test.info().annotations.push({ type: "curves", description: `${bytes} bytes of script in ${later.size} files, by ${coding}` });
    expect(bytes).toBeLessThanOrEqual(mostOfPlots[coding]);
  });
}
