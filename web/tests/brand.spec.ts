// The name and the logo of the house, where the pages say whose they are.
import type { BrowserContext, Page, Route } from "@playwright/test";
import { Console } from "./fixtures/console.js";
import { wide, widths } from "./fixtures/look.js";
import { Messenger, signIn as signInAs } from "./fixtures/messenger.js";
import { password } from "./fixtures/hospital.js";
import { inBothThemes } from "./fixtures/picture.js";
import { png } from "./fixtures/png.js";
import { expect, operator, test } from "./fixtures/test.js";

/** is has the server of a context be that of a house. */
async function is(context: BrowserContext, name: string, logo = false): Promise<void> {
  await context.route("**/v2/brand", (route) => route.fulfill({ json: { status: "success", reply: { name, logo } } }));
  await context.route("**/v2/brand/logo", showLogo);
}

function showLogo(route: Route): Promise<void> {
  return route.fulfill({ contentType: "image/png", body: png(300, 60) });
}

/** logoOf is the picture at the head of a page, which says nothing that the name beside it does not say. */
const logoOf = (page: Page) => page.getByRole("presentation");

const longest = "Universitätsklinikum Sankt Elisabeth und Sankt Barbara Halle"; // 60 characters

test("the pages have the name of the house", async ({ hospital, desk }) => {
  const { alice } = await hospital({ alice: "Alice Ames" });
  const context = await desk();
  await is(context, "St. Elisabeth Hospital", true);
  const page = await context.newPage();
  await page.goto("/");
  await expect(page.getByRole("heading", { level: 1, name: "St. Elisabeth Hospital" })).toBeVisible();
  await expect(page).toHaveTitle("St. Elisabeth Hospital");
  for (const width of widths) await inBothThemes(page, "brand-sign-in", width);
  await signInAs(page, alice.username, password);
  const m = new Messenger(page);
  await expect(m.list.getByText("St. Elisabeth Hospital", { exact: true })).toBeVisible();
  await expect(page).toHaveTitle("St. Elisabeth Hospital");
  await inBothThemes(page, "brand-messenger", 1280);
  await page.goto("/docs");
  await expect(page.getByRole("banner").getByText("St. Elisabeth Hospital API", { exact: true })).toBeVisible();
  await expect(page).toHaveTitle(/ · St\. Elisabeth Hospital$/);
});

test("the console has the name of the house", async ({ open }) => {
  const page = await open(operator, "/healthz");
  await is(page.context(), "St. Elisabeth Hospital", true);
  await page.goto("/console/organizations");
  const c = new Console(page);
  await c.elevate();
  await expect(page.getByRole("banner").getByText("St. Elisabeth Hospital", { exact: true })).toBeVisible();
  await expect(page).toHaveTitle("Console · St. Elisabeth Hospital");
  for (const width of widths) await inBothThemes(page, "brand-console", width);
});

test("without a name or a logo of its own a house has those of Signet", async ({ desk }) => {
  const context = await desk();
  const page = await context.newPage();
  await page.goto("/");
  await expect(page.getByRole("heading", { level: 1, name: "Signet" })).toBeVisible();
  await expect(page).toHaveTitle("Signet");
  await is(context, "General Hospital");
  await page.goto("/");
  await expect(page.getByRole("heading", { level: 1, name: "General Hospital" })).toBeVisible();
  await expect(logoOf(page)).toHaveCount(0);
});

test("a logo that does not come leaves the sign of Signet", async ({ desk }) => {
  const context = await desk();
  await is(context, "General Hospital", true);
  const page = await context.newPage();
  await page.route("**/v2/brand/logo", (route) => route.fulfill({ status: 404 }));
  await page.goto("/");
  await expect(page.getByRole("heading", { level: 1, name: "General Hospital" })).toBeVisible();
  await expect(logoOf(page)).toHaveCount(0);
});

for (const [what, name] of [["long", longest], ["from right to left", "مستشفى القديسة إليزابيث"]] as const) {
  test(`a name that is ${what} fits everywhere`, async ({ hospital, desk }) => {
    const { alice } = await hospital({ alice: "Alice Ames" });
    const context = await desk();
    await is(context, name, true);
    const page = await context.newPage();
    const fits = async (where: string) => {
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        expect.soft(await page.evaluate(wide), `${where} at ${width}`).toEqual([]);
        await inBothThemes(page, `brand-${what.replaceAll(" ", "-")}-${where}`, width);
      }
    };
    await page.goto("/");
    await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
    await fits("sign-in");
    await signInAs(page, alice.username, password);
    await expect(page.getByText(name, { exact: true })).toBeVisible();
    await fits("messenger");
  });
}

test("nobody waits for the name to see that a page comes, and nothing moves when the logo does", async ({ desk }) => {
  const context = await desk();
  const page = await context.newPage();
  let go = () => {};
  const released = new Promise<void>((resolve) => (go = resolve));
  let show = () => {};
  const looked = new Promise<void>((resolve) => (show = resolve));
  await context.route("**/v2/brand", async (route) => {
    await released;
    await route.fulfill({ json: { status: "success", reply: { name: "St. Elisabeth Hospital", logo: true } } });
  });
  await context.route("**/v2/brand/logo", async (route) => {
    await looked;
    await showLogo(route);
  });
  await page.goto("/", { waitUntil: "commit" });
  await expect(page.getByRole("heading", { level: 1, name: "Signet" })).toBeVisible();
  go();
  const heading = page.getByRole("heading", { level: 1, name: "St. Elisabeth Hospital" });
  await expect(heading).toBeVisible();
  const field = page.getByLabel("Username");
  const before = [await heading.boundingBox(), await field.boundingBox()];
  show();
  const width = () => logoOf(page).evaluate((picture) => (picture as HTMLImageElement).naturalWidth);
  await expect.poll(width).toBe(300);
  expect([await heading.boundingBox(), await field.boundingBox()]).toEqual(before);
});

test("a server that says nothing of it keeps nobody out", async ({ desk }) => {
  const context = await desk();
  await context.route("**/v2/brand", () => undefined);
  const page = await context.newPage();
  await page.goto("/");
  await expect(page.getByLabel("Username")).toBeVisible();
  await expect(page.getByRole("heading", { level: 1, name: "Signet" })).toBeVisible();
});
