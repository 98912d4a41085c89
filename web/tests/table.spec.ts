// The tables of the console, which the interface gives in pages.
import type { Locator } from "@playwright/test";
import { Console } from "./fixtures/console.js";
import { widths } from "./fixtures/look.js";
import { expect, operator, test } from "./fixtures/test.js";

test("a table sorts all that there is, not what it has loaded", async ({ hospital, open, server }) => {
  const { organization } = await hospital({});
  const names = Array.from({ length: 350 }, (_, i) => `Person ${String(i).padStart(5, "0")}`);
  const users = names.map((name) => ({ username: `person-${server.next()}`, display_name: name }));
  const made = await server.operator.in(organization).createUsers({ users });
  expect(made.results.flatMap(({ error }) => error ?? [])).toEqual([]);

  const c = new Console(await open(operator, `/console/organizations/${organization}`));
  await c.elevate();
  const table = c.page.getByRole("table");
  const rows = table.getByRole("row").getByRole("link"); // each row has one, at its name
  const more = c.main.getByRole("button", { name: "Load more" });
  await expect(c.main.getByRole("status")).toHaveText("50 loaded");
  await expect(rows).toHaveCount(50);
  await more.click();
  await expect(c.main.getByRole("status")).toHaveText("100 loaded");
  await expect(rows).toHaveCount(100);

  const sort = table.getByRole("button", { name: "Name", exact: true });
  const column = table.getByRole("columnheader", { name: "Name", exact: true });
  for (const width of widths) {
    await c.page.setViewportSize({ width, height: 800 });
    await more.scrollIntoViewIfNeeded();
    await expect(column, `the head at the end of the list, at ${width}`).toBeInViewport({ ratio: 1 });
  }
  await sort.click();
  await expect(rows).toHaveCount(351);
  await expect(rows).toContainText(["Operator", ...names]); // so many as there are: in this order
  await expect(column).toHaveAttribute("aria-sort", "ascending");
  await expect(more).toHaveCount(0);
  await expect(c.main.getByRole("status")).toHaveCount(0);
  await sort.click();
  await expect(rows).toContainText([...names.toReversed(), "Operator"]);
  await expect(rows).toHaveCount(351);
  await expect(column).toHaveAttribute("aria-sort", "descending");
});

test("of a list that could not be loaded no other one is shown or exported in its place", async ({ hospital, open, server }) => {
  const { bob, organization } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  await server.operator.disableUser(bob.token);
  const page = await open(operator, `/console/organizations/${organization}`);
  const c = new Console(page);
  await c.elevate();
  const file = c.listing("People").getByRole("button", { name: "Export", exact: true });
  await expect(c.row("People", "Alice Ames")).toBeVisible();
  await expect(file).toBeEnabled();
  let come = () => {};
  const wanted = new Promise<void>((resolve) => (come = resolve));
  await page.route(/\?(.*&)?disabled=true/, async (route) => {
    await wanted;
    await route.abort();
  });
  await c.listing("People").getByLabel("Show", { exact: true }).selectOption("Disabled");
  await expect(file).toBeDisabled(); // the rows are still those of before
  come();
  await expect(c.problem).toContainText("Can’t reach the server.");
  await expect(c.rows("People")).toHaveCount(0);
  await expect(file).toBeDisabled();
  await page.unrouteAll();
  await c.problem.getByRole("button", { name: "Try again" }).click();
  await expect(c.row("People", "Bob Brown")).toBeVisible();
  await expect(c.rows("People")).toHaveCount(1);
  await expect(file).toBeEnabled();
});

/** below is whether an element stands under another one, and not beside it. */
async function below(one: Locator, other: Locator): Promise<boolean> {
  const [a, b] = await Promise.all([one.boundingBox(), other.boundingBox()]);
  return a !== null && b !== null && a.y >= b.y + b.height;
}

/** isWhole holds that a list shows all of its width. */
async function isWhole(list: Locator): Promise<void> {
  await expect.poll(() => list.evaluate((box) => box.scrollWidth - box.clientWidth)).toBeLessThanOrEqual(1);
}

test("on a phone a row is a card, which hides nothing", async ({ open }) => {
  const c = new Console(await open(operator, "/console/settings", { viewport: { width: 360, height: 800 } }));
  await c.elevate();
  const row = c.row("Settings", "limits.messages_per_day");
  const name = row.getByRole("cell", { name: "limits.messages_per_day" });
  const value = row.getByRole("cell").filter({ hasText: /^0$/ });
  await row.scrollIntoViewIfNeeded();
  await expect(value).toBeInViewport({ ratio: 1 });
  expect(await below(value, name)).toBe(true);
  await isWhole(c.listing("Settings").getByRole("region"));
  await expect(c.rows("Settings").filter({ hasText: "limits.burst" })).toHaveCount(1); // it is a table still

  // Its head is a line to sort by, by keyboard too.
  const head = c.listing("Settings").getByRole("columnheader", { name: "Value", exact: true });
  await head.getByRole("button", { name: "Value" }).press("Enter");
  await expect(head).toHaveAttribute("aria-sort", "ascending");
});

test("where a table is narrow, what matters less is at hand in its rows", async ({ server, open }) => {
  const name = `Clinic ${server.next()}`;
  await server.operator.createOrganization({ name });
  const c = new Console(await open(operator, "/console/organizations"));
  await c.elevate();
  const list = c.listing("Organizations");
  await list.getByRole("searchbox").fill(name);
  await expect(c.rows("Organizations")).toHaveText([new RegExp(`^${name}`)]);
  const groups = list.getByRole("columnheader", { name: "Groups" });
  const opener = list.getByRole("button", { name: `All details: ${name}` });
  await expect(groups).toBeVisible();
  await expect(opener).toBeHidden();
  await expect(list.getByRole("button", { name: "Export", exact: true })).toBeVisible();

  await c.page.setViewportSize({ width: 800, height: 800 });
  await expect(groups).toBeHidden();
  await expect(list.getByRole("columnheader", { name: "People" })).toBeVisible();
  await isWhole(list.getByRole("region"));
  await opener.press("Enter");
  await expect(opener).toHaveAttribute("aria-expanded", "true");
  for (const title of ["Groups", "Requests", "Legal hold", "Created"]) {
    await expect(list.getByRole("term").filter({ hasText: title })).toBeVisible();
  }
  await c.page.setViewportSize({ width: 360, height: 800 });
  await expect(list.getByRole("term").filter({ hasText: "Groups" })).toBeVisible();
  await expect(list.getByRole("term").filter({ hasText: "Requests" })).toBeHidden(); // the card has it
  await c.page.setViewportSize({ width: 1280, height: 800 });
  await expect(list.getByRole("term").filter({ hasText: "Groups" })).toBeHidden(); // it has its column
});

test("what one does with a row stays in sight at any width", async ({ hospital, open }) => {
  const { alice, organization } = await hospital({ alice: "Alice Ames" });
  const c = new Console(await open(operator, `/console/organizations/${organization}/people/${alice.token}`));
  await c.elevate();
  const acts = c.rows("API keys").getByRole("button", { name: "Actions" });
  for (const width of widths) {
    await c.page.setViewportSize({ width, height: 800 });
    await acts.scrollIntoViewIfNeeded();
    await c.listing("API keys").getByRole("region").evaluate((box) => (box.scrollLeft = 0));
    await expect(acts, `at ${width}`).toBeInViewport({ ratio: 1 });
  }
});

test("times are told as people say them, and exactly to whoever asks", async ({ hospital, open }) => {
  await hospital({});
  const page = await open(operator, "/healthz");
  const minutes = 60_000;
  const days = 24 * 60 * minutes;
  const yesterday = new Date(Date.now() - days);
  yesterday.setHours(14, 3, 0, 0);
  const times: Readonly<Record<string, number>> = {
    five: Date.now() - 5 * minutes - 5000, yesterday: yesterday.getTime(), old: Date.now() - 400 * days,
    soon: Date.now() + 20 * minutes + 30_000,
  };
  await page.route(/\/v2\/organization\?|\/v2\/organization$/, async (route) => {
    const headers = { ...(await route.request().allHeaders()), "sec-fetch-site": "same-origin" };
    const response = await route.fetch({ headers });
    if (!response.ok()) return route.fulfill({ response });
    const answer = (await response.json()) as { reply: { results: { name: string; token: string; created_time: string }[] } };
    const [one] = answer.reply.results;
    answer.reply.results = Object.entries(times).map(([name, at]) => ({
      ...one!, name, token: name.padEnd(24, "0"), created_time: new Date(at).toISOString(),
    }));
    await route.fulfill({ response, json: answer });
  });
  await page.clock.install();
  await page.goto("/console/organizations");
  const c = new Console(page);
  await c.elevate();
  const time = (name: string) => c.row("Organizations", new RegExp(`^${name}`)).getByRole("time");
  await expect(time("five")).toHaveText(/^5 min\.? ago$/);
  await expect(time("yesterday")).toHaveText(/^yesterday 2:03\sPM$/);
  await expect(time("old")).toHaveText(/^[A-Z][a-z]{2} \d{1,2}, \d{4}$/);
  await expect(time("soon")).toHaveText(/^in 20 min\.?$/);

  const exactly = /^[A-Z][a-z]{2} \d{1,2}, \d{4}, 2:03:00\sPM$/;
  await expect(time("yesterday")).toHaveAttribute("title", exactly);
  await time("yesterday").focus();
  await expect(time("yesterday")).toHaveText(exactly);
  await time("five").click();
  await expect(time("yesterday")).toHaveText(/^yesterday/);
  await expect(time("five")).toHaveText(/\d:\d\d:\d\d/);
  await c.listing("Organizations").getByRole("searchbox").focus();
  await page.clock.fastForward(10 * minutes);
  await expect(time("five")).toHaveText(/^15 min\.? ago$/);
  await expect(time("soon")).toHaveText(/^in (9|10) min\.?$/);
});
