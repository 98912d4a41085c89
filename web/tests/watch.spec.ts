// What the pages must not do is told, whatever a test is about: by fixtures/watch.ts, and by the stage.
import { expect, test } from "./fixtures/test.js";
import { watch } from "./fixtures/watch.js";

/** The script of a page that has all faults. */
const faults = `
  const known = ["/v2/user", "/v2/session"];
  const calls = ["/v2/nothing", "/v2/events?limits=5", "/page.json", "http://signet.test/v2/user", ...known];
  const all = calls.map((address) => fetch(address).catch(() => undefined));
  all.push(fetch("/v2/user", { method: "PATCH" }));
  console.error("all is", "lost");
  console.assert(false, "nothing is left");
  Promise.all(all).then(() => {
    document.title = "over";
    throw new Error("nobody catches this");
  });`;

test("what pages must not do is told, each fault by its name", async ({ browser, server, stage }) => {
  const context = await browser.newContext({ baseURL: server.url });
  const problems = watch(context, server.url);
  // The page and its script are not the server's. Its calls are, but for one that fails.
  await context.route("/", (route) =>
    route.fulfill({
      contentType: "text/html",
      headers: { "Content-Security-Policy": "script-src 'self' 'sha256-no'; require-trusted-types-for 'script'" },
      body: `<script src="/page.js"></script><script>inline()</script>`,
    }),
  );
  await context.route("/page.js", (route) => route.fulfill({ contentType: "text/javascript", body: faults }));
  await context.route("/v2/session", (route) => route.fulfill({ status: 500 }));
  await context.route("http://signet.test/**", (route) => route.abort());
  const page = await context.newPage();
  await page.goto("/");
  await expect(page).toHaveTitle("over");

  const ofPage = [
    "a request to another host: http://signet.test/v2/user",
    "/page.json was answered with 404",
    "/v2/session was answered with 500",
    "an exception that nothing caught: Error: nobody catches this",
    "it wrote an error to the console: all is lost",
    "it wrote an error to the console: nothing is left",
    "Content Security Policy",
  ];
  for (const fault of ofPage) await expect.poll(() => problems).toContainEqual(expect.stringContaining(fault));
  const ofCalls = [
    "GET /v2/nothing is a call whose path the OpenAPI document does not have",
    "GET /v2/events?limits=5 is a call whose parameter limits of the query the OpenAPI document does not have",
    "PATCH /v2/user is a call whose method the OpenAPI document does not have",
  ];
  const told = await stage.problems();
  expect(told).toHaveLength(ofCalls.length);
  expect(told).toEqual(expect.arrayContaining(ofCalls));
  // And no more: a known call that was refused, of /v2/user, is no fault.
  await context.close();
  expect(problems).toHaveLength(ofPage.length);
});

test.fail("a test fails whose page does what it must not", async ({ open }) => {
  const page = await open(undefined);
  await expect(page.getByLabel("Username")).toBeVisible();
  await page.evaluate(() => console.error("all is lost"));
});

test.fail("a test fails whose page calls what there is not", async ({ open }) => {
  const page = await open(undefined);
  await expect(page.getByLabel("Username")).toBeVisible();
  await page.evaluate(() => fetch("/v2/user?limits=5"));
});
