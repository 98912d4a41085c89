// Finding people, to write to them and to make groups of them.
import { Console } from "./fixtures/console.js";
import { password } from "./fixtures/hospital.js";
import { Messenger } from "./fixtures/messenger.js";
import { picture } from "./fixtures/picture.js";
import { expect, operator, test } from "./fixtures/test.js";

test("people are found by the keyboard alone, and put into groups", async ({ hospital, open }) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown", carol: "Cárol Clarke" });
  const a = new Messenger(await open(alice));
  const b = new Messenger(await open(bob));

  await expect(a.list.getByText("No conversations yet.")).toBeVisible();
  await a.page.keyboard.press("/");
  await expect(a.search).toBeFocused();
  await a.page.keyboard.type("zz");
  await expect(a.list.getByRole("status")).toHaveText("No results.");
  await a.page.keyboard.press("Escape");
  await a.page.keyboard.type("bro");
  await expect(a.list.getByRole("listitem")).toHaveCount(1);
  await expect(a.entry("Bob Brown")).toBeVisible();
  await picture(a.page, "search");
  await a.page.keyboard.press("Enter");
  await a.shows("Bob Brown");
  await a.write("Is bed 12 free?");
  await expect(b.entry("Alice Ames").getByRole("img", { name: "1 unread" })).toHaveText("1");

  await a.page.getByRole("button", { name: "New group" }).click();
  await a.dialog.getByLabel("Group name").fill("Ward 3");
  const chosen = a.dialog.getByRole("list", { name: "Group members" }).getByRole("listitem");
  for (const [words, name] of [["bob", "Bob Brown"], ["carol", "Cárol Clarke"]] as const) {
    await a.dialog.getByRole("searchbox", { name: "Add people" }).fill(words);
    await a.dialog.getByRole("button", { name: new RegExp(`^${name}`) }).click();
    await expect(chosen.filter({ hasText: name })).toBeVisible();
  }
  await expect(chosen).toHaveCount(2);
  await picture(a.page, "new-group");
  await a.dialog.getByRole("button", { name: "Create group" }).click();
  await a.shows("Ward 3");
  await expect(a.dialog).toHaveCount(0);
  await a.write("Good morning.");
  await expect(b.entry("Ward 3")).toContainText("Alice: Good morning.");
});

test("an address of an international domain is typed and signs in, in both of its forms", async ({ server, hospital, open }) => {
  const { organization } = await hospital({});
  const name = `jürgen-${server.next()}`;
  const c = new Console(await open(operator, `/console/organizations/${organization}`));
  await c.elevate();
  await c.tab("People");
  await c.add("New person");
  await c.dialog.getByLabel("Display name").fill("Jürgen Jahn");
  await c.dialog.getByLabel("Email").fill(`${name}@bücher.example`);
  await c.dialog.getByLabel("Initial password").fill(password);
  await c.dialog.getByRole("button", { name: "Create" }).click();
  await expect(c.main.getByRole("heading", { name: "Jürgen Jahn", exact: true })).toBeVisible();
  await expect(c.main.getByText(`${name}@bücher.example`, { exact: true })).toBeVisible();

  for (const address of [`${name}@bücher.example`, `${name.toUpperCase()}@XN--BCHER-KVA.example`]) {
    const page = await open(undefined);
    await page.getByLabel("Username").fill(address);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await expect(page.getByRole("heading", { name: "Jürgen Jahn", level: 1 })).toBeVisible();
  }
});
