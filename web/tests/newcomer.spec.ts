// The first ten minutes of somebody who has never seen Signet.
import { password } from "./fixtures/hospital.js";
import { Messenger, signIn } from "./fixtures/messenger.js";
import { png } from "./fixtures/png.js";
import { expect, test } from "./fixtures/test.js";

test("a newcomer's first ten minutes", async ({ hospital, open }) => {
  const { alice, nora } = await hospital({ alice: "Alice Ames", nora: "Nora North", carol: "Carol Clarke" });
  const own = "four unrelated words suffice";
  const a = new Messenger(await open(alice));
  const n = new Messenger(await open(undefined, "/", { permissions: ["notifications"] }));

  await test.step("signs in for the first time, and is told how to begin", async () => {
    await signIn(n.page, nora.username, password);
    await expect(n.list.getByText(/^No conversations yet\./)).toBeVisible();
  });

  await test.step("changes the password that somebody else gave out", async () => {
    await n.own("Settings");
    await n.dialog.getByLabel("Current password").fill(password);
    await n.dialog.getByLabel("New password").fill(own);
    await n.dialog.getByRole("button", { name: "Change password" }).click();
    await expect(n.dialog.getByText(/^Password changed\./)).toBeVisible();
    await n.page.keyboard.press("Escape");
    await expect(n.dialog).toHaveCount(0);
  });

  await test.step("finds a colleague, writes, and gets an answer", async () => {
    await n.search.fill("ames");
    await n.entry("Alice Ames").click();
    await n.shows("Alice Ames");
    await n.write("Good morning, I am new on ward 3.");
    await a.open("Nora North");
    await expect(a.message("I am new on ward 3.")).toBeVisible();
    await n.hasStatus("I am new on ward 3.", "Read");
    await a.write("Welcome! I add you to our group.");
    await expect(n.message("Welcome! I add you to our group.")).toBeVisible();
  });

  await test.step("is in a group that the colleague creates, and writes there", async () => {
    await a.list.getByRole("button", { name: "New group" }).click();
    await a.dialog.getByLabel("Group name").fill("Ward 3");
    for (const [words, name] of [["nora", "Nora North"], ["carol", "Carol Clarke"]] as const) {
      await a.dialog.getByRole("searchbox", { name: "Add people" }).fill(words);
      await a.dialog.getByRole("button", { name: new RegExp(`^${name}`) }).click();
    }
    await a.dialog.getByRole("button", { name: "Create group" }).click();
    await a.shows("Ward 3");
    await n.open("Ward 3");
    await n.write("Hello, all of you.");
    await expect(a.message("Hello, all of you.")).toBeVisible();
  });

  await test.step("sends a picture, which the others see in place", async () => {
    const chosen = n.page.waitForEvent("filechooser");
    await n.page.getByRole("button", { name: "Attach a file" }).click();
    await (await chosen).setFiles({ name: "badge.png", mimeType: "image/png", buffer: png(40, 30) });
    await expect(n.page.getByRole("list", { name: "Files to send" }).getByText("badge.png", { exact: true })).toBeVisible();
    await n.write("My badge.");
    const shown = a.message("My badge.").getByRole("button", { name: "View badge.png" });
    await expect.poll(() => shown.evaluate((of) => of.querySelector("img")?.naturalWidth)).toBe(40);
  });

  await test.step("sets notifications and the language", async () => {
    await n.own("Settings");
    await n.dialog.getByLabel("Notifications", { exact: true }).selectOption("Sender and text");
    const notices = () => n.page.evaluate((name) => localStorage.getItem(name), `signet-notices-${nora.token}`);
    await expect.poll(notices).toBe("content");
    await n.dialog.getByLabel("Language").selectOption("Deutsch");
    await expect(n.dialog.getByRole("heading", { level: 2 })).toHaveText("Einstellungen");
    await n.page.keyboard.press("Escape");
    await expect(n.dialog).toHaveCount(0);
  });

  await test.step("signs out, and in again with the new password alone", async () => {
    const { page } = n;
    const list = page.getByRole("navigation", { name: "Unterhaltungen" });
    await list.getByRole("button", { name: "Ihr Konto" }).click();
    await list.getByRole("menuitem", { name: "Abmelden" }).click();
    const submit = async (words: string) => {
      await page.getByLabel("Benutzername").fill(nora.username);
      await page.getByLabel("Passwort").fill(words);
      await page.getByRole("button", { name: "Anmelden", exact: true }).click();
    };
    await submit(password);
    await expect(page.getByRole("alert")).toHaveText("Benutzername oder Passwort ist falsch.");
    await submit(own);
    await expect(list.getByRole("button").filter({ hasText: "Ward 3" })).toBeVisible();
    await expect(list.getByRole("button").filter({ hasText: "Alice Ames" })).toBeVisible();
  });
});
