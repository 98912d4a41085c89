// The client in a browser, where a cookie stands for credentials.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { password } from "../fixtures/hospital.js";
import { expect, test } from "../fixtures/test.js";

/** bundle makes one script of what page.ts does, and of the client. */
async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("page.ts", import.meta.url))],
    bundle: true,
    format: "iife",
    globalName: "page",
    write: false,
    logLevel: "error",
  });
  return String(outputFiles[0]?.text);
}

test("a page signs in, sends, hears, downloads and signs out by its cookie alone", async ({ hospital, open }) => {
  const { bob } = await hospital({ bob: "Bob Brown" });
  const page = await open(undefined, "/healthz");
  const story = `page.story(${JSON.stringify(bob.username)}, ${JSON.stringify(password)})`;
  expect(await page.evaluate<string[]>(`${await bundle()}; ${story}`)).toStrictEqual([
    'signed in as Bob Brown, cookies that scripts see: ""',
    "sent, with progress",
    "heard of labs.png",
    "got the same image/png",
    "refused: 400 ttl",
    "AbortError",
    "refused: 401 undefined",
  ]);
});
