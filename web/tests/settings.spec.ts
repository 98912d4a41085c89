// What somebody sets: for others to see, on their devices, and of a conversation.
import { hold } from "./fixtures/held.js";
import { password } from "./fixtures/hospital.js";
import { Messenger } from "./fixtures/messenger.js";
import { picture } from "./fixtures/picture.js";
import { png } from "./fixtures/png.js";
import { expect, test } from "./fixtures/test.js";

/** cancelChoice leaves the browser's dialog of files without a choice, as the browser tells it. */
function cancelChoice(dialog: HTMLElement): void {
  dialog.querySelector("input[type=file]")?.dispatchEvent(new Event("cancel", { bubbles: true }));
}

test("one keeps profile and devices, and how the pages look", async ({ hospital, open }) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const lost = await open(bob);
  await expect(lost.getByRole("heading", { name: "Bob Brown" })).toBeVisible();
  const b = new Messenger(await open(bob));
  const { page, dialog } = b;
  await b.own("Settings");
  const devices = dialog.getByRole("region", { name: "Devices" });
  await expect(devices.getByRole("listitem")).toHaveCount(2);

  await dialog.getByLabel("Status message").fill("In theatre");
  const chooser = page.waitForEvent("filechooser");
  await dialog.getByRole("button", { name: "Choose picture" }).click();
  await (await chooser).setFiles({ name: "bob.png", mimeType: "image/png", buffer: png(40, 30) });
  const widths = (of: Element) => [...of.querySelectorAll("img")].map(({ naturalWidth }) => naturalWidth);
  await expect.poll(() => dialog.evaluate(widths)).toEqual([40]);
  await dialog.evaluate(cancelChoice); // who then wants no other one stays in the dialog
  await expect(dialog.getByLabel("Status message")).toHaveValue("In theatre");
  await dialog.getByRole("button", { name: "Save" }).click();
  // In the dialog, and not covered by it: all else waits behind it.
  await dialog.getByRole("status").getByText("Saved.", { exact: true }).click({ trial: true });
  await picture(page, "settings");
  const { status, avatar } = await alice.client.getUser(bob.token);
  expect(status).toBe("In theatre");
  expect(avatar).not.toBe("");

  await devices.getByRole("button", { name: "Sign out" }).click();
  await expect(devices.getByRole("listitem")).toHaveCount(1);
  await expect(devices.getByText("this device")).toBeVisible();
  await expect(lost.getByLabel("Username")).toBeVisible();

  await dialog.getByLabel("Appearance").selectOption("Dark");
  await dialog.getByLabel("Language").selectOption("Deutsch");
  await expect(dialog.getByRole("heading", { level: 2 })).toHaveText("Einstellungen");
  const look = () => [document.documentElement.lang, document.documentElement.dataset["theme"]];
  expect(await page.evaluate(look)).toEqual(["de", "dark"]);
  await picture(page, "settings-german");
  await dialog.getByRole("button", { name: "Schließen" }).click();
  await expect(dialog).toHaveCount(0);
  await page.reload(); // the device keeps both
  await expect(page.getByRole("navigation", { name: "Unterhaltungen" })).toBeVisible();
  expect(await page.evaluate(look)).toEqual(["de", "dark"]);
});

test("who saves by the keyboard keeps the focus, and saves once", async ({ hospital, open }) => {
  const { bob } = await hospital({ bob: "Bob Brown" });
  const b = new Messenger(await open(bob, "/", { serviceWorkers: "block" })); // it would make the call
  const { page, dialog } = b;
  const held = await hold(page, ({ pathname }) => pathname.endsWith("/settings"));
  await b.own("Settings");
  await dialog.getByLabel("Status message").fill("In theatre");
  const save = dialog.getByRole("button", { name: "Save" });
  await save.press("Enter");
  await expect.poll(() => held.count).toBe(1);
  await expect(save).toBeFocused();
  await expect(save).toBeDisabled();
  await page.keyboard.press("Enter");
  await held.release();
  await expect(dialog.getByRole("status").getByText("Saved.", { exact: true })).toBeVisible();
  await expect(save).toBeFocused();
  await expect(save).toBeEnabled();
  expect(held.count).toBe(1);

  const next = dialog.getByLabel("New password");
  const change = dialog.getByRole("button", { name: "Change password" });
  const below = dialog.getByRole("alert").filter({ hasText: /\w/ });
  await dialog.getByLabel("Current password").fill("not the password");
  await next.fill("short");
  await change.press("Enter");
  await expect(next).toHaveAccessibleDescription("Use 8 to 1,024 characters.");
  await expect(below).toHaveCount(0);
  await expect(change).toBeFocused();
  await next.fill("correct horse battery staple");
  await change.press("Enter");
  await expect(below).toHaveText("The current password is incorrect.");
  await expect(next).toHaveAccessibleDescription(/^At least 8 characters\. /);
  await expect(change).toBeFocused();
});

for (const [locale, words] of [
  ["de-DE", {
    own: "Ihr Konto", settings: "Einstellungen",
    current: "Aktuelles Passwort", next: "Neues Passwort", change: "Passwort ändern",
    why: "Dieses Passwort ist leicht zu erraten: Es ist verbreitet oder enthält einen Namen. Wählen Sie ein anderes.",
  }],
  ["fr-FR", {
    own: "Votre compte", settings: "Réglages",
    current: "Mot de passe actuel", next: "Nouveau mot de passe", change: "Changer le mot de passe",
    why: "Ce mot de passe est facile à deviner : il est courant ou contient un nom. Choisissez-en un autre.",
  }],
] as const) {
  test(`why the server refuses is said in the language of the reader, ${locale}`, async ({ hospital, open }) => {
    const { bob } = await hospital({ bob: "Bob Brown" });
    const { page, dialog } = new Messenger(await open(bob, "/", { locale }));
    await page.getByRole("button", { name: words.own }).click();
    await page.getByRole("menuitem", { name: words.settings }).click();
    await dialog.getByLabel(words.current).fill(password);
    await dialog.getByLabel(words.next).fill("password1");
    await dialog.getByRole("button", { name: words.change }).click();
    await expect(dialog.getByLabel(words.next)).toHaveAccessibleDescription(words.why);
  });
}

test("a conversation is muted, and a group is left", async ({ hospital, open }) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const group = await alice.client.createGroup({ name: "Ward 3", members: [bob.token] });
  await alice.tell(group, "Good morning.");
  const b = new Messenger(await open(bob, `/c/${group.token}/details`));
  await expect(b.details.getByRole("region", { name: "Group members" }).getByRole("listitem")).toHaveCount(2);
  await b.details.getByLabel("Notify me of").selectOption("Urgent messages only");
  await expect(b.entry("Ward 3").getByRole("img", { name: "Muted" })).toBeVisible();
  await picture(b.page, "details-muted");
  await b.details.getByRole("button", { name: "Leave group" }).click();
  await b.dialog.getByRole("button", { name: "Leave group" }).click();
  await expect(b.page).toHaveURL("/");
  const left = await alice.client.getGroupMembers(group.token);
  expect(left.map(({ token }) => token)).toEqual([alice.token]);
});

test("settings say where administrators set names, and that somebody has a name already", async ({ server, hospital, open }) => {
  const { organization, alice } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const a = new Messenger(await open(alice));
  await a.own("Settings");
  const name = a.dialog.getByLabel("Display name");
  await name.fill("BOB  Brown");
  await a.dialog.getByRole("button", { name: "Save" }).click();
  await expect(name).toHaveAccessibleDescription(
    "Someone else in your organization has this name. Add what tells you apart, such as a middle name.",
  );
  await name.fill("Alice B. Ames");
  await a.dialog.getByRole("button", { name: "Save" }).click();
  await expect(a.list.getByRole("heading", { level: 1, name: "Alice B. Ames" })).toBeVisible();
  await a.page.keyboard.press("Escape");

  await server.operator.updateOrganization(organization, { display_names: "administrators" });
  await a.page.reload();
  await a.isUpToDate();
  await a.own("Settings");
  await expect(a.dialog.getByText("Administrators of your organization set names.")).toBeVisible();
  await expect(name).toHaveCount(0);
  await a.dialog.getByLabel("Status").fill("In theatre");
  await a.dialog.getByRole("button", { name: "Save" }).click();
  await expect(a.dialog.getByRole("status").getByText("Saved.")).toBeVisible();
});
