// Whatever somebody sets stands in the pages as it is, and does nothing.
import type { Page } from "@playwright/test";
import { Console } from "./fixtures/console.js";
import { devices, hostile, nameOrNumber, nth, test } from "./fixtures/hostile.js";
import { hacks, lacks, wide, widths } from "./fixtures/look.js";
import { Messenger } from "./fixtures/messenger.js";
import { picture } from "./fixtures/picture.js";
import { expect, operator } from "./fixtures/test.js";

/** The height of a window in which a whole list is seen. Of the messenger's lists, only what is seen is made. */
const tall = 8000;

// What is wrong is told with where it is.
test.use({ trace: "off", screenshot: "only-on-failure" });

test.describe("hostile texts stay texts", () => {
  test("in the messenger", async ({ den, open }) => {
    const m = new Messenger(await open(den.alice));
    const messages = m.items.filter({ has: m.page.getByRole("button", { name: "Message actions" }) });
    await holds(m.page, "list", hostile, tall);

    await goTo(m.page, `/c/${den.ward}/details`);
    const members = m.details.getByRole("region", { name: "Group members" }).getByRole("listitem");
    await expect(members).toHaveCount(hostile.length + 1);
    await holds(m.page, "group", [...den.files, ...hostile], tall);
    await m.page.getByRole("main").getByRole("heading", { level: 2 }).click();

    for (const [i, person] of den.people.entries()) {
      await goTo(m.page, `/c/${person}/details`);
      await expect(messages).toHaveCount(1);
      await holds(m.page, `person-${i}`, [nth(i), nth(i + 3), nth(i + 4), nth(i + 5)]);
    }

    await goTo(m.page, "/");
    await m.own("Settings");
    await expect(m.dialog.getByRole("listitem").filter({ hasText: "this device" })).toHaveCount(1);
    await holds(m.page, "devices", devices);
    const own = m.list.getByRole("heading", { level: 1 });
    for (const i of hostile.keys()) {
      await m.dialog.getByLabel("Display name").fill(`${nth(i)} too`);
      await m.dialog.getByLabel("Status message").fill(nth(i + 1));
      await m.dialog.getByRole("button", { name: "Save" }).click();
      await expect.poll(() => own.textContent()).toBe(`${nth(i)} too`); // somebody else has the name itself
    }
    await holds(m.page, "own-name");
  });

  test("in the console", async ({ den, open }) => {
    const c = new Console(await open(operator, "/console"));
    await c.elevate();
    await expect(c.main.getByRole("term").filter({ hasText: "Database" })).toBeVisible();
    await holds(c.page, "console");
    await goTo(c.page, "/console/organizations");
    await holds(c.page, "console-organizations", hostile);
    await goTo(c.page, "/console/organizations/%ff/%zz");
    await expect(c.problem).toBeVisible();
    await holds(c.page, "console-malformed");

    const at = `/console/organizations/${den.organization}`;
    const lists: Readonly<Record<string, readonly string[]>> = {
      people: hostile, groups: hostile, escalation: hostile, requests: [], stuck: [], settings: [], audit: hostile,
    };
    for (const [name, texts] of Object.entries(lists)) {
      await goTo(c.page, `${at}/${name}`);
      await expect(c.main.getByRole("heading", { level: 1 })).toBeVisible();
      await holds(c.page, `console-${name}`, texts);
    }
    for (const [i, person] of den.people.entries()) {
      await goTo(c.page, `${at}/people/${person}`);
      await holds(c.page, `console-person-${i}`, [nth(i), nth(i + 3), nth(i + 4), nameOrNumber(i)]);
    }
    await goTo(c.page, `${at}/groups/${den.duty}`);
    await holds(c.page, "console-rota", hostile);
    for (const [i, organization] of den.organizations.entries()) {
      await goTo(c.page, `/console/organizations/${organization}/settings`);
      await holds(c.page, `console-organization-${i}`, [nth(i)]);
    }
    await goTo(c.page, `${at}/people/${den.alice.token}`);
    await holds(c.page, "console-devices", devices);
    const all = { keys: "Keys and sessions", stuck: "Queues not being read", settings: "Settings" };
    for (const [name, list] of Object.entries(all)) {
      await goTo(c.page, `/console/${name}`);
      const listing = c.listing(list).filter({ has: c.page.getByRole("button", { name: "Export", exact: true }) });
      await expect(listing).toHaveAttribute("aria-busy", "false");
      await expect(c.problem).toBeHidden();
      await holds(c.page, `console-all-${name}`);
    }
    await goTo(c.page, "/console/audit?reads=true&period=<img src=x onerror=hacked=1>");
    await expect(c.log).not.toHaveCount(0);
    await holds(c.page, "console-all-audit");

    await goTo(c.page, `${at}/people/import`);
    const rows = hostile.map((text) => `"${text.replaceAll('"', '""')}",${den.alice.username}\n`);
    await c.chooseFile(`display_name,username\n${rows.join("")}`);
    await expect(c.rows("Rows")).toHaveCount(hostile.length);
    await holds(c.page, "console-import", hostile);
    const head = hostile.map((text) => `"${text.replaceAll('"', '""')}"`).join(",");
    await c.chooseFile(`username,${head}\nann${",x".repeat(hostile.length)}\n`);
    await expect(c.main.getByRole("combobox")).not.toHaveCount(0);
    await holds(c.page, "console-import-columns");
  });

  test("in addresses", async ({ den, open }) => {
    const page = await open(den.alice);
    for (const place of ["/c/", "/?in=", "/console/organizations/", "/docs/"]) {
      for (const text of ["%3Cimg src=x onerror=hacked=1%3E", "%ff%2e%2e"]) {
        await page.goto(place + text);
        await expect(page.getByRole("main")).toBeVisible();
        await holds(page, `address ${place}${text}`);
      }
    }
    await page.goto("/docs");
    await page.getByRole("button", { name: "Search calls and guides" }).click();
    for (const text of hostile) await page.getByRole("searchbox").fill(text);
    await holds(page, "docs-search");
  });
});

test.fail("a test fails whose page shows a dialog of the browser", async ({ open }) => {
  const page = await open(undefined);
  await expect(page.getByLabel("Username")).toBeVisible();
  await page.evaluate(() => alert("hacked"));
});

/** goTo shows another address without loading the page again. */
async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState(null, "", to);
    dispatchEvent(new PopStateEvent("popstate"));
  }, path);
}

/** holds waits until all of the texts stand in the page. None of them may do more, at any width. */
async function holds(page: Page, where: string, texts: readonly string[] = [], height = 800): Promise<void> {
  await page.setViewportSize({ width: 1280, height });
  await expect.poll(() => page.evaluate(lacks, texts), where).toEqual([]);
  for (const width of widths) {
    await page.setViewportSize({ width, height });
    expect.soft(await page.evaluate(hacks, width), `${where}, ${width} pixels wide`).toEqual([]);
    expect.soft(await page.evaluate(wide), `${where}, ${width} pixels wide`).toEqual([]);
  }
  await picture(page, `hostile-${where.replaceAll("/", "-")}`);
}
