// The console knows what it may do before it asks: the audit log has no refusal that nobody made.
import type { Page } from "@playwright/test";
import { Console } from "./fixtures/console.js";
import type { Server } from "./fixtures/stage.js";
import { expect, operator, test } from "./fixtures/test.js";

const people = { alice: "Alice Ames", bob: "Bob Brown" };

test.describe("on a server of its own", () => {
  test.use({ serve: [] });

  test("whoever goes through the whole console is refused nothing", async ({ server, hospital, open }) => {
    const { alice, bob, organization } = await hospital(people);
    await server.operator.grantRole(alice.token, organization, "admin");
    const own = `/console/organizations/${organization}`;
    const tabs = ["people", `people/${bob.token}`, "groups", "keys", "requests", "stuck", "audit", "identity", "settings"];
    const all = ["/console/keys", "/console/stuck", "/console/audit", "/console/settings"];
    for (const [who, pages] of [
      [alice, tabs.map((tab) => `${own}/${tab}`)],
      [operator, [...tabs.map((tab) => `${own}/${tab}`), ...all]],
    ] as const) {
      const page = await open(who, "/console");
      const c = new Console(page);
      await c.elevate();
      await expect(c.main.getByText("General Hospital", { exact: true })).toBeVisible();
      for (const path of pages) {
        await page.goto(path);
        await expect(c.main.getByText("Loading…")).toHaveCount(0);
        await expect(c.main.getByRole("heading").or(c.main.getByRole("region"))).not.toHaveCount(0);
        await expect(c.problem.filter({ hasText: /./ })).toHaveCount(0); // a form has a place for one
      }

      // Once admin access has ended, each page asks first; whoever does not want to has asked for nothing.
      const elevated = page.getByRole("button", { name: "Admin access until" });
      await elevated.click();
      await expect(elevated).toHaveCount(0);
      for (const path of pages) {
        await page.goto(path);
        await page.getByRole("dialog", { name: "Confirm it’s you" }).getByRole("button", { name: "Cancel" }).click();
        await expect(c.problem).toContainText(["Not done. To continue, confirm it’s you."]);
      }
      await page.goto(`${own}/people`);
      await c.elevate();
      await expect(c.rows("People")).not.toHaveCount(0);
    }
    expect(await refused(server, organization)).toEqual([]);
  });

  test("whoever administers nothing, or not this, is refused nothing", async ({ server, hospital, open }) => {
    const { alice, bob, organization } = await hospital(people);
    await server.operator.grantRole(alice.token, organization, "admin");
    const other = await server.operator.createOrganization({ name: "Clinic by the Lake" });
    const bobs = await open(bob, "/console");
    for (const path of ["/console", "/console/audit", `/console/organizations/${organization}/audit`]) {
      await bobs.goto(path);
      await expect(bobs.getByText("The console is for administrators.")).toBeVisible();
    }
    const page = await open(alice, `/console/organizations/${other}/audit`);
    const c = new Console(page);
    await c.shows("Page not found");
    await page.goto("/console/audit");
    await c.shows("Page not found");
    await expect(c.dialog).toHaveCount(0);
    expect([...(await refused(server, organization)), ...(await refused(server, other))]).toEqual([]);

    // A right that is new is found all the same, without loading the page anew.
    await server.operator.addToOrganization(alice.token, { organization: other });
    await server.operator.grantRole(alice.token, other, "admin");
    await page.evaluate((to) => {
      history.pushState(null, "", to);
      dispatchEvent(new PopStateEvent("popstate"));
    }, `/console/organizations/${other}/audit`);
    await c.elevate();
    await expect(c.entry("Operator made Alice Ames an administrator of Clinic by the Lake.")).toBeVisible();
  });
});

test("where admin access can’t be ended, that is said, and it goes on", async ({ open }) => {
  const page = await open(operator, "/console");
  await new Console(page).elevate();
  await page.route("**/v2/session/elevate", (route) => route.abort());
  const elevated = page.getByRole("button", { name: "Admin access until" });
  await elevated.click();
  await expect(page.getByText("Can’t reach the server. Check your connection and try again.", { exact: true })).toBeVisible();
  await expect(elevated).toBeVisible();
});

test("when admin access has ended, a page asks for the password before it calls", async ({ hospital, open }) => {
  const { organization } = await hospital(people);
  const page = await open(operator, "/healthz");
  const c = new Console(page);
  const calls = callsOf(page);
  await page.goto("/console");
  await expect(c.dialog.getByLabel("Password")).toBeFocused(); // one types it, and that is all
  expect(calls()).toEqual([]);
  await c.elevate();
  await expect(c.figures).not.toHaveCount(0);
  expect(calls()).toContain("/v2/status");

  // As if its time were over, but for a few seconds.
  await page.route("/v2/session", async (route) => {
    const headers = { ...(await route.request().allHeaders()), "sec-fetch-site": "same-origin" };
    const response = await route.fetch({ headers });
    const { reply } = (await response.json()) as { reply: object };
    const elevated_until = new Date(Date.now() + 3000).toISOString();
    await route.fulfill({ response, json: { status: "success", reply: { ...reply, elevated_until } } });
  });
  await page.goto("/healthz"); // the overview asks for more and more; nothing of it counts
  const before = calls().length;
  await page.goto(`/console/organizations/${organization}/people`);
  await expect(c.dialog).toBeVisible();
  await expect(page.getByText("Admin access until")).toBeVisible();
  await expect(page.getByText("Admin access until")).toHaveCount(0);
  expect(calls().slice(before).filter((path) => path.includes(organization))).toEqual([]);
  await page.unroute("/v2/session");
  await c.elevate();
  await expect(c.rows("People")).not.toHaveCount(0);
});

test("tabs tell each other that admin access has begun, and ended", async ({ hospital, open }) => {
  const { organization } = await hospital(people);
  const a = new Console(await open(operator, "/console"));
  await a.elevate();
  const b = new Console(await a.page.context().newPage());
  await b.page.goto("/console/organizations");
  await expect(b.rows("Organizations")).not.toHaveCount(0);
  await b.page.getByRole("button", { name: "Admin access until" }).click();
  await expect(a.page.getByRole("button", { name: "Admin access until" })).toHaveCount(0);
  const calls = callsOf(a.page);
  await a.entries.filter({ hasText: "Organizations" }).click();
  await expect(a.dialog).toBeVisible();
  expect(calls()).toEqual([]);
  await b.page.goto(`/console/organizations/${organization}/people`);
  await b.elevate();
  await expect(b.rows("People")).not.toHaveCount(0);
  await expect(a.dialog).toHaveCount(0); // nobody has to say it twice
  await expect(a.rows("Organizations")).not.toHaveCount(0);
});

/** callsOf returns the paths of the calls that a page makes from now on, but for those that ask who is there, and whose house it is. */
function callsOf(page: Page): () => string[] {
  const paths: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/v2/") && !/^\/v2\/(session|brand)\b/.test(pathname)) paths.push(pathname);
  });
  return () => paths;
}

/** refused are the entries of what was refused, in the platform's log and in an organization's. */
async function refused(server: Server, organization: string): Promise<object[]> {
  const asked = { outcome: "refused", limit: 1000 };
  return [...(await server.operator.getAudit(asked)), ...(await server.operator.getOrganizationAudit(organization, asked))];
}
