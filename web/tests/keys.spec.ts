// Keys of programs in the console: what each is for, when it ends, and what is done with it.
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { Console } from "./fixtures/console.js";
import type { Person } from "./fixtures/hospital.js";
import { expect, operator, test } from "./fixtures/test.js";

const day = 86_400_000; // milliseconds

/** creates opens the dialog for a new key of a person. */
async function creates(page: Page): Promise<Console> {
  const c = new Console(page);
  await c.elevate();
  await c.listing("API keys").getByRole("button", { name: "New API key" }).click();
  return c;
}

const at = (organization: string, { token }: Person) => `/console/organizations/${organization}/people/${token}`;

/** copied is what somebody would paste now. */
const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

test("a key says what it is for, and ends in 90 days unless somebody decides otherwise", async ({ server, hospital, open }) => {
  const { alice, organization } = await hospital({ alice: "Alice Ames" });
  const c = await creates(await open(operator, at(organization, alice)));
  const label = c.dialog.getByLabel("Label");
  const end = c.dialog.getByLabel("Expires");
  const create = c.dialog.getByRole("button", { name: "Create key" });
  await expect(label).toBeFocused();
  await expect(label).toHaveAttribute("placeholder", "Lab interface");
  await expect(end).toHaveValue("90");
  await create.click();
  await expect(label).toHaveAccessibleDescription("Fill in this field.");
  await expect(label).toBeFocused();
  await end.selectOption("Never");
  await expect(c.dialog.getByRole("status").filter({ hasText: "A key that never expires keeps working" })).toBeVisible();
  await end.selectOption("On a date");
  await expect(c.dialog.getByText("A key that never expires")).toHaveCount(0);
  const last = new Date(Date.now() + 3 * day);
  const text = [last.getFullYear(), last.getMonth() + 1, last.getDate()].map((n) => String(n).padStart(2, "0")).join("-");
  await c.dialog.getByLabel("Last valid day").fill("2020-01-01");
  await label.fill("Lab interface");
  await create.click();
  await expect(c.dialog.getByLabel("Last valid day")).toHaveAccessibleDescription("Check this entry.");
  await c.dialog.getByLabel("Last valid day").fill(text);
  await create.click();
  const dated = await c.issuedKey();
  await c.keep();
  const another = c.listing("API keys").getByRole("button", { name: "New API key" });
  await expect(another).toBeFocused(); // one goes on where one was
  await another.click();
  await label.fill("Pager gateway");
  await create.click();
  const usual = await c.issuedKey();
  await c.keep();
  await expect(c.row("API keys", dated)).toContainText("Lab interface");
  await expect(c.row("API keys", usual)).toContainText("Pager gateway");
  const keys = await server.operator.getKeys(alice.token);
  const left = (key: string) => Date.parse(keys.find((one) => one.api_key === key)?.expires_time ?? "") - Date.now();
  expect(left(usual)).toBeGreaterThan(89 * day);
  expect(left(usual)).toBeLessThanOrEqual(90 * day);
  expect(left(dated)).toBeGreaterThan(3 * day - day); // the whole of the day, whatever the hour is now
  expect(left(dated)).toBeLessThanOrEqual(4 * day);
});

test("a secret that is shown once stays until it is saved", async ({ hospital, open }) => {
  const { organization } = await hospital({ alice: "Alice Ames" });
  const permissions = ["clipboard-read", "clipboard-write"];
  const c = new Console(await open(operator, `/console/organizations/${organization}/people`, { permissions }));
  await c.elevate();
  await c.row("People", "Alice Ames").getByRole("link", { name: "Alice Ames" }).click();
  await c.listing("API keys").getByRole("button", { name: "New API key" }).click();
  await c.dialog.getByLabel("Label").fill("Lab interface");
  await c.dialog.getByLabel("Label").press("Enter");
  const shown = c.page.getByRole("dialog", { name: "Save your API key" });
  const question = c.page.getByRole("dialog", { name: "Close without saving the secret?" });
  const back = question.getByRole("button", { name: "Go back" });
  await expect(shown.getByRole("button", { name: "Copy both" })).toBeFocused(); // Enter once more does no harm
  await c.page.keyboard.press("Enter");
  const key = await c.issuedKey();
  await expect.poll(() => copied(c.page)).toMatch(new RegExp(`^${key}:.`));
  const secret = (await copied(c.page)).slice(key.length + 1);

  await c.page.keyboard.press("Escape");
  await expect(question).toBeVisible();
  await back.click();
  await shown.getByRole("button", { name: "Close", exact: true }).click();
  await back.click();
  const beside = (await shown.boundingBox())!.x / 2;
  await c.page.mouse.click(beside, beside);
  await expect(question).toBeVisible();
  await back.click();
  for (let i = 0; i < 5; i++) await c.page.keyboard.press("Escape"); // the browser would close it in the end
  await expect(shown).toBeVisible();
  await c.page.mouse.click(beside, beside);
  await expect(question).toBeVisible(); // whether it was there before or not
  await back.click();
  await expect(question).toHaveCount(0);
  await expect(shown.getByText(secret)).toBeVisible();
  await c.page.goBack(); // another page of the console does not take it along
  await expect(c.page).toHaveURL(`/console/organizations/${organization}/people`);
  await expect(shown.getByText(secret)).toBeVisible();

  await shown.getByRole("button", { name: "Copy: API key" }).click();
  await expect.poll(() => copied(c.page)).toBe(key);
  await shown.getByRole("button", { name: "Copy: Secret" }).click();
  await expect.poll(() => copied(c.page)).toBe(secret);
  const file = async (button: string) => {
    const download = c.page.waitForEvent("download");
    await shown.getByRole("button", { name: button }).click();
    return { name: (await download).suggestedFilename(), text: readFileSync(await (await download).path(), "utf8") };
  };
  const origin = new URL(c.page.url()).origin;
  expect(await file("Download as text file")).toEqual({
    name: "Lab-interface.txt",
    text: `Lab interface\nServer: ${origin}\nAPI key: ${key}\nSecret: ${secret}\n`,
  });
  expect(await file("Download as .env file")).toEqual({
    name: "Lab-interface.env",
    text: `SIGNET_URL=${origin}\nSIGNET_API_KEY=${key}\nSIGNET_API_SECRET=${secret}\n`,
  });
  await c.keep();
  await expect(c.page.getByText(secret)).toHaveCount(0);
});

test("a secret is given up by somebody who says so", async ({ hospital, open }) => {
  const { alice, organization } = await hospital({ alice: "Alice Ames" });
  const c = await creates(await open(operator, at(organization, alice)));
  await c.dialog.getByLabel("Label").fill("Lab interface");
  await c.dialog.getByRole("button", { name: "Create key" }).click();
  await c.page.getByRole("dialog", { name: "Save your API key" }).getByRole("button", { name: "Close", exact: true }).click();
  await c.page.getByRole("button", { name: "Close anyway" }).click();
  await expect(c.dialog).toHaveCount(0);
});

test("a key is renamed, gets another secret, and is revoked, from any list", async ({ server, hospital, open }) => {
  const { alice, bob, organization } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const { api_key: key } = await server.operator.createKey(bob.token, { organization, label: "Old pager" });
  await open(alice);
  const c = new Console(await open(operator, `/console/organizations/${organization}/keys`));
  await c.elevate();
  const list = "Keys and sessions";
  const row = c.row(list, key);
  await expect(row).toContainText("Old pager");
  await row.getByRole("button", { name: "Actions" }).click();
  for (const item of await row.getByRole("menuitem").all()) await expect(item).toBeInViewport({ ratio: 1 });
  await expect(row.getByRole("menuitem")).toHaveText(["Rename", "Replace secret", "Change limits", "Revoke"]);
  await c.page.keyboard.press("Escape");
  await c.choose(row, "Rename");
  await c.dialog.getByLabel("Label").fill("Pager gateway");
  await c.dialog.getByRole("button", { name: "Save" }).click();
  await expect(row).toContainText("Pager gateway");
  await c.choose(row, "Replace secret");
  await c.page.getByRole("dialog", { name: "Replace secret" }).getByRole("button", { name: "Replace secret" }).click();
  expect(await c.issuedKey()).toBe(key);
  await c.keep();

  // Filters, and a search by what a key is for and by whose it is.
  const show = c.listing(list).getByLabel("Show");
  await show.selectOption("Sessions");
  await expect(c.row(list, "Session").filter({ hasText: "Alice Ames" })).toHaveCount(1);
  await expect(row).toHaveCount(0);
  await show.selectOption("Programs");
  await expect(row).toBeVisible();
  await expect(c.row(list, "Session")).toHaveCount(0);
  await show.selectOption("Administrative");
  await expect(row).toHaveCount(0);
  await show.selectOption("All");
  const search = c.listing(list).getByRole("searchbox");
  await search.fill("pager");
  await expect(c.rows(list)).toHaveCount(1);
  await search.fill("ames");
  await expect(row).toHaveCount(0);
  await expect(c.rows(list)).toHaveCount(2); // her program and her browser
  await search.fill("nobody");
  await expect(c.listing(list).getByText("No keys or sessions match.")).toBeVisible();
  await search.fill("");

  await c.row(list, "Session").filter({ hasText: "Alice Ames" }).getByRole("button", { name: "Sign out" }).click();
  await c.confirm("Sign out");
  await c.choose(row, "Revoke");
  await c.confirm("Revoke");
  await expect(row).toHaveCount(0);
});

test.describe("on a server of its own", () => {
  test.use({ serve: [] });

  test("the installation's list of keys leads to whose they are", async ({ hospital, open }) => {
    const { quist, organization } = await hospital({ quist: "Kunigunde Quist" });
    const c = new Console(await open(operator, "/console/keys"));
    await c.elevate();
    await c.listing("Keys and sessions").getByRole("searchbox").fill("kuni quist");
    await expect(c.rows("Keys and sessions")).toHaveCount(1);
    await c.row("Keys and sessions", "Kunigunde Quist").getByRole("link", { name: "Kunigunde Quist" }).click();
    await expect(c.main.getByRole("heading", { name: "Kunigunde Quist" })).toBeVisible();
    await expect(c.page).toHaveURL(at(organization, quist));
    await c.page.goBack();
    await c.shows("Keys and sessions"); // and Back leads back, not through where the person was looked for
  });
});
