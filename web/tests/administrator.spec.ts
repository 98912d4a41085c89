// Those who administer organizations, and the operator, at the console.
import type { Locator } from "@playwright/test";
import { Console } from "./fixtures/console.js";
import { admit } from "./fixtures/hospital.js";
import { Messenger } from "./fixtures/messenger.js";
import { picture } from "./fixtures/picture.js";
import { expect, operator, test } from "./fixtures/test.js";

test("an administrator keeps an organization, and no other", async ({ server, hospital, open }) => {
  const { alice, bob, organization } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const elsewhere = await server.operator.createOrganization({ name: "Clinic by the Lake" });
  const carol = await admit(server, elsewhere, "carol", "Carol Clarke");
  await server.operator.grantRole(alice.token, organization, "admin");
  await bob.client.grantRole("me", organization, "admin");
  await alice.tell(bob, "Is bed 12 free?");

  const page = await open(alice);
  await new Messenger(page).list.getByRole("link", { name: "Signet console" }).click();
  const c = new Console(page);
  await c.elevate();
  await expect(c.entries).toHaveText(["Overview", "Organizations", "Messenger", "API"]);
  await c.shows("General Hospital"); // she is there at once: it is the only one
  await expect(c.main.getByText(/^3 people · /)).toBeVisible();
  await expect(c.figures).toHaveCount(0); // nothing of the installation
  await expect(c.problem).toHaveCount(0);
  await picture(page, "console-administrator");

  await c.tab("Requests");
  await c.row("Requests", "Bob Brown").getByRole("button", { name: "Approve" }).click();
  await expect(c.listing("Requests").getByText("No open requests.")).toBeVisible();
  const { roles } = await bob.client.getRoles("me", organization);
  expect(roles).toMatchObject([{ organization: { roles: ["admin"] } }]);

  await c.tab("People");
  await c.row("People", "Bob Brown").getByRole("link", { name: "Bob Brown Administrator" }).click();
  await expect(c.rows("API keys")).toHaveCount(1);
  await c.listing("API keys").getByRole("button", { name: "New API key" }).click();
  await c.dialog.getByLabel("Label").fill("Pager gateway");
  const networks = c.dialog.getByLabel("Allowed networks");
  await networks.fill("10.0.0.0/40");
  await c.dialog.getByRole("button", { name: "Create key" }).click();
  await expect(networks).toHaveAttribute("aria-invalid", "true");
  await networks.fill("10.0.0.0/8");
  await c.dialog.getByRole("button", { name: "Create key" }).click();
  const key = await c.issuedKey();
  await c.keep();
  await expect(c.rows("API keys")).toHaveCount(2);
  await expect(c.row("API keys", key)).toContainText("10.0.0.0/8");
  await c.revoke(key);
  await expect(c.rows("API keys")).toHaveCount(1);
  await c.main.getByRole("button", { name: "Edit person" }).click();
  await c.dialog.getByLabel("Job title").fill("Dr.");
  await c.dialog.getByRole("button", { name: "Save" }).click();
  await expect(c.main.getByRole("article").getByText("Dr.", { exact: true })).toBeVisible();

  await c.tab("People");
  await c.add("Add existing account");
  const address = c.dialog.getByLabel("Username");
  await address.fill("nobody");
  await c.dialog.getByRole("button", { name: "Add existing account" }).click();
  await expect(c.dialog.getByRole("alert")).toHaveText("This no longer exists, or you don’t have access to it.");
  await address.fill(carol.username);
  await c.dialog.getByLabel("Department").fill("Surgery");
  await c.dialog.getByRole("button", { name: "Add existing account" }).click();
  await expect(c.row("People", /Carol Clarke.*Surgery/)).toBeVisible();

  await c.tab("Audit log");
  await expect(c.entry("Alice Ames revoked an API key or session of Bob Brown.")).toBeVisible();
  await c.tab("Delivery problems");
  await c.listing("Queues not being read").getByLabel("Older than").selectOption("Any age");
  await expect(c.row("Queues not being read", "Bob Brown")).toBeVisible();
  await expect(page.getByText("Is bed 12 free?")).toHaveCount(0);
  await picture(page, "console-administrator-stuck");
  await page.goto("/console/keys");
  await c.shows("Page not found");
  await expect(c.main.getByRole("table")).toHaveCount(0);
});

test("the overview asks nobody for a password by itself", async ({ open }) => {
  const page = await open(operator, "/console");
  const c = new Console(page);
  await c.elevate();
  const sent = c.figures.filter({ hasText: "Messages sent" });
  await expect(sent).toBeVisible();
  const elevated = page.getByRole("button", { name: "Admin access until" });
  await elevated.click();
  await expect(elevated).toHaveCount(0);
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange"))); // as if somebody came back
  const again = c.problem.getByRole("button", { name: "Try again" });
  await expect(again).toBeVisible();
  await expect(sent).toBeVisible();
  await expect(c.dialog).toHaveCount(0);
  await again.click();
  await c.elevate();
  await expect(c.problem).toHaveCount(0);
  await expect(sent).toBeVisible();
});

test("the tab that is open is in sight, others show that they are there, and open requests are counted", async ({
  hospital, open,
}) => {
  const { bob, organization } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  await bob.client.grantRole("me", organization, "admin");
  const at = `/console/organizations/${organization}`;
  const c = new Console(await open(operator, `${at}/settings`, { viewport: { width: 360, height: 800 } }));
  const tab = (name: string) => c.tabs.filter({ hasText: name });
  const fades = () => c.main.getByRole("navigation").evaluate((row) => getComputedStyle(row).maskImage);
  await c.elevate();
  await expect(tab("Settings")).toBeInViewport({ ratio: 1 });
  await expect(tab("People")).not.toBeInViewport({ ratio: 1 });
  await expect.poll(fades).toContain("to right");
  await c.page.goto(`${at}/audit`);
  await expect(tab("Audit log")).toBeInViewport({ ratio: 1 });
  await c.page.goto(`${at}/people`);
  await expect(tab("People")).toBeInViewport({ ratio: 1 });
  await expect.poll(fades).toContain("to left");
  await c.page.setViewportSize({ width: 1280, height: 800 });
  await expect.poll(fades).toBe("none");

  await expect(tab("Requests")).toHaveText("Requests1");
  await tab("Requests").click();
  await c.row("Requests", "Bob Brown").getByRole("button", { name: "Decline" }).click();
  await expect(tab("Requests")).toHaveText("Requests");
});

test("whoever saves an organization's settings leaves what another administrator has changed meanwhile", async ({
  server, hospital, open,
}) => {
  const { alice, organization } = await hospital({ alice: "Alice Ames" });
  await server.operator.grantRole(alice.token, organization, "admin");
  const [one, other] = [
    new Console(await open(operator, `/console/organizations/${organization}/settings`)),
    new Console(await open(alice, `/console/organizations/${organization}/settings`)),
  ];
  for (const c of [one, other]) {
    await c.elevate();
    await expect(c.main.getByLabel("Allow forwarding")).toBeChecked();
  }
  const save = async (c: Console) => {
    await c.main.getByRole("button", { name: "Save" }).click();
    await expect(c.page.getByText("Saved.", { exact: true })).toBeVisible();
  };
  await one.main.getByLabel("Allow forwarding").uncheck();
  await one.main.getByLabel("Name", { exact: true }).fill("Hospital by the Lake");
  await save(one);
  await other.main.getByLabel("Allow files").uncheck();
  await save(other);
  const { name, settings } = await server.operator.getOrganization(organization);
  expect(name).toBe("Hospital by the Lake");
  const now = Object.fromEntries(settings.map((setting) => [setting.name, setting.value]));
  expect(now).toMatchObject({ forward: false, attachments: false });
});

test("a dialog of the console begins with its title, and the cross beside it", async ({ open }) => {
  const c = new Console(await open(operator, "/console/organizations"));
  await c.elevate();
  await c.main.getByRole("button", { name: "New organization" }).click();
  await expect(c.dialog.getByLabel("Organization name")).toBeFocused();
  const box = async (of: Locator) => (await of.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const dialog = await box(c.dialog);
  const title = await box(c.dialog.getByRole("heading", { name: "New organization" }));
  const cross = await box(c.dialog.getByRole("button", { name: "Close" }));
  expect(Math.abs(title.y + title.height / 2 - (cross.y + cross.height / 2))).toBeLessThan(4);
  expect(title.y - dialog.y).toBeLessThan(32);
});

test("on a phone the menu is closed by Escape, and the focus goes back to what opens it", async ({ open }) => {
  const c = new Console(await open(operator, "/console/organizations", { viewport: { width: 360, height: 800 } }));
  await c.elevate();
  const opener = c.page.getByRole("button", { name: "Console", exact: true });
  await opener.click();
  const entry = c.entries.filter({ hasText: "Settings" });
  await expect(entry).toBeVisible();
  await entry.press("Escape");
  await expect(c.entries).toHaveCount(0);
  await expect(opener).toBeFocused();
  await expect(opener).toHaveAttribute("aria-expanded", "false");
});
