// The client in a browser, where a cookie stands for credentials.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { password } from "../fixtures/hospital.js";
import { expect, test } from "../fixtures/test.js";
import type { CrowdCounts } from "./crowd.js";

/** bundle makes one script of what another file here does, and of the client. */
async function bundle(file: string, globalName: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(file, import.meta.url))],
    bundle: true,
    format: "iife",
    globalName,
    write: false,
    logLevel: "error",
  });
  return String(outputFiles[0]?.text);
}

test("a page signs in, sends, hears, downloads and signs out by its cookie alone", async ({ hospital, open }) => {
  const { bob } = await hospital({ bob: "Bob Brown" });
  const page = await open(undefined, "/healthz");
  const story = `page.story(${JSON.stringify(bob.username)}, ${JSON.stringify(password)})`;
  expect(await page.evaluate<string[]>(`${await bundle("page.ts", "page")}; ${story}`)).toStrictEqual([
    'signed in as Bob Brown, cookies that scripts see: ""',
    "sent, with progress",
    "heard of labs.png",
    "got the same image/png",
    "refused: 400 ttl",
    "AbortError",
    "refused: 401 undefined",
  ]);
});

test("of 30 readers of an account that may have 20 streams, ten at a time poll, and all hear at once", async ({ open }) => {
  const page = await open(undefined, "/healthz");
  await page.clock.install();
  await page.evaluate(`${await bundle("crowd.ts", "crowd")}; window.settling = new crowd.Crowd(20); settling.join(30)`);
  await page.evaluate(`settling.say("0")`);
  for (let minute = 1; minute <= 5; minute++) {
    await page.clock.runFor(60_000);
    await page.evaluate(`settling.say("${minute}")`); // which waits until all have heard it
  }
  const { opened, polls, lost } = await page.evaluate<CrowdCounts>(`settling.counts()`);
  expect(lost.filter((why) => why !== "TooManyStreamsError")).toStrictEqual([]);
  expect(opened).toBeGreaterThan(30);
  expect(opened).toBeLessThanOrEqual(30 + 5 * 10);
  expect(polls).toBeLessThanOrEqual(2 * lost.length + 6 * 30);
});
