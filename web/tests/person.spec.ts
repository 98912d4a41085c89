// A person's page in the console: what an administrator is asked for most.
import type { Page } from "@playwright/test";
import { Console } from "./fixtures/console.js";
import { admit, type Hospital } from "./fixtures/hospital.js";
import { expect, operator, test } from "./fixtures/test.js";

/** administers opens the page of a member for the administrator of an organization. */
async function administers(page: Page): Promise<Console> {
  const c = new Console(page);
  await c.elevate();
  await expect(c.main.getByRole("article")).toBeVisible();
  return c;
}

const at = ({ organization }: Hospital<never>, token: string) => `/console/organizations/${organization}/people/${token}`;

test("an administrator corrects what an account is called and how it is reached", async ({ server, hospital, open }) => {
  const house = await hospital({ alice: "Alice Ames", bob: "Bobb Brwon" });
  const { alice, bob, organization } = house;
  await server.operator.grantRole(alice.token, organization, "admin");
  const c = await administers(await open(alice, at(house, bob.token)));
  const edit = c.main.getByRole("button", { name: "Edit person" });
  await edit.click();
  const field = (label: string) => c.dialog.getByLabel(label);
  await expect(field("Display name")).toBeFocused();
  await expect(field("Username")).toHaveValue(bob.username);
  await field("Display name").fill("Bob Brown");
  await field("First name").fill("Bob");
  await field("Last name").fill("Brown");
  await field("Username").fill(alice.username);
  await field("Emails").fill(`${bob.username}@example.com, ${bob.username}.home@example.com`);
  await field("Phones").fill(`+49 30 ${123456 + server.next()}`);
  await field("Job title").fill("Surgeon");
  await field("Department").fill("Ward 3");
  const save = c.dialog.getByRole("button", { name: "Save" });
  await save.click();
  await expect(c.dialog.getByText("Another account already uses this username, email or phone.")).toBeVisible();
  await expect(field("Username")).toHaveAttribute("aria-invalid", "true");
  await field("Username").fill(`${bob.username}-new`);
  await field("Emails").fill("bob, of ward 3");
  await save.click();
  await expect(field("Emails")).toHaveAttribute("aria-invalid", "true");
  await expect(field("Emails")).toHaveAccessibleDescription("Enter a complete email address, like name@example.com.");
  await field("Emails").fill(`${bob.username}@example.com; ${bob.username}.home@example.com`);
  await save.click();
  await expect(c.dialog).toBeHidden();
  await expect(c.main.getByRole("heading", { name: "Bob Brown", exact: true })).toBeVisible();
  await expect(c.main.getByText("Surgeon · Ward 3", { exact: true })).toBeVisible();
  const changed = await server.operator.lookupUser(`${bob.username}-new`);
  expect(changed).toMatchObject({ token: bob.token, display_name: "Bob Brown", first_name: "Bob", last_name: "Brown" });
  const { results } = await alice.client.search({ type: "account", directory: organization, display_name: "Bob" });
  expect(results).toMatchObject([{ entity: { emails: [{ address: `${bob.username}@example.com` }, {}], phones: [{}] } }]);

  // What is left as it is does not go over the line, and nothing changes.
  await edit.click();
  await c.dialog.getByRole("button", { name: "Save" }).click();
  await expect(c.dialog).toBeHidden();
});

test("what others decide about is shown, and not offered", async ({ server, hospital, open }) => {
  const house = await hospital({ alice: "Alice Ames" });
  const { alice, organization } = house;
  await server.operator.grantRole(alice.token, organization, "admin");
  const clinic = await server.operator.createOrganization({ name: "Clinic by the Lake" });
  const carol = await admit(server, clinic, "carol", "Carol Clarke");
  await server.operator.addToOrganization(carol.token, { organization });
  const c = await administers(await open(alice, at(house, carol.token)));
  await expect(c.main.getByText("Another organization created this account", { exact: false })).toBeVisible();
  await expect(c.main.getByRole("button", { name: "Set password" })).toHaveCount(0);
  await c.main.getByRole("button", { name: "More actions" }).click();
  await expect(c.main.getByRole("menuitem")).toHaveText(["Make administrator", "Export data", "Remove from organization"]);
  await c.page.keyboard.press("Escape");
  await expect(c.row("API keys", "Managed by the person or an operator")).toHaveCount(1);
  await c.main.getByRole("button", { name: "Edit person" }).click();
  for (const name of ["Display name", "First name", "Last name", "Username", "Emails", "Phones"]) {
    await expect(c.dialog.getByLabel(name)).toHaveAttribute("readonly");
  }
  await expect(c.dialog.getByText("Ask an operator to change its names and addresses.")).toBeVisible();
  await c.dialog.getByLabel("Job title").fill("Consultant");
  await c.dialog.getByRole("button", { name: "Save" }).click();
  await expect(c.main.getByText("Consultant", { exact: true })).toBeVisible();
  // No refusal stands in the log that nobody made.
  const entries = await server.operator.getOrganizationAudit(organization, { outcome: "not_allowed" });
  expect(entries).toEqual([]);

  // One's own account has its password changed where the old one is asked for.
  await c.page.goto(at(house, alice.token));
  await expect(c.main.getByText("This is your own account.", { exact: false })).toBeVisible();
  await expect(c.main.getByRole("button", { name: "Set password" })).toHaveCount(0);
});

test("an operator does not replace addresses that are not shown", async ({ server, hospital, open }) => {
  const house = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const { alice, bob, organization } = house;
  await server.operator.in(organization).updateUser(bob.token, { emails: [`${bob.username}@example.com`] });
  await server.operator.grantRole(alice.token, organization, "admin");
  await server.operator.removeFromOrganization("me", organization);
  const c = await administers(await open(operator, at(house, bob.token)));
  await expect(c.main.getByRole("definition").filter({ hasText: "Shown only to members of the organization" })).toHaveCount(2);
  await c.main.getByRole("button", { name: "Edit person" }).click();
  await expect(c.dialog.getByLabel("Emails")).toHaveAttribute("readonly");
  await c.dialog.getByLabel("Display name").fill("Robert Brown");
  await c.dialog.getByRole("button", { name: "Save" }).click();
  await expect(c.main.getByRole("heading", { name: "Robert Brown" })).toBeVisible();
  const { emails } = await bob.client.getSelf();
  expect(emails).toMatchObject([{ address: `${bob.username}@example.com` }]);
});

test("what is done seldom is in a menu, and what destroys stands apart in it", async ({ server, hospital, open }) => {
  const house = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const { alice, bob, organization } = house;
  const c = await administers(await open(operator, at(house, bob.token)));
  await c.page.setViewportSize({ width: 360, height: 640 });
  await c.main.getByRole("button", { name: "More actions" }).click();
  const items = c.main.getByRole("menuitem");
  await expect(items).toHaveText([
    "Make administrator", "Export data", "Disable account", "Remove from organization", "Delete permanently",
  ]);
  await expect(c.main.getByRole("separator")).toHaveCount(1);
  for (const item of await items.all()) await expect(item).toBeInViewport({ ratio: 1 });
  await c.page.keyboard.press("Escape");
  await expect(c.main.getByRole("button", { name: "More actions" })).toBeFocused();

  await c.act("Disable account");
  await c.confirm("Disable account");
  await expect(c.main.getByText("Disabled", { exact: true })).toBeVisible();
  await c.act("Enable account");
  await c.confirm("Enable account");
  await expect(c.main.getByText("Disabled", { exact: true })).toHaveCount(0);

  // The last administrator stays one, which is said in the words of the page.
  await server.operator.grantRole(alice.token, organization, "admin");
  await server.operator.removeFromOrganization("me", organization);
  await c.page.goto(at(house, alice.token));
  await c.act("Remove administrator role");
  await c.dialog.getByRole("button", { name: "Remove administrator role" }).click();
  await expect(c.dialog.getByRole("alert")).toHaveText(
    "An organization needs at least one administrator. Make someone else an administrator first.",
  );
});

test("devices stand apart from keys, and a lost one is signed out", async ({ hospital, open }) => {
  const house = await hospital({ bob: "Bob Brown" });
  const { bob } = house;
  const chrome = "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36";
  const phone = await open(bob, "/", { userAgent: chrome });
  const desk = await open(bob);
  await expect(desk.getByRole("heading", { name: "Bob Brown", level: 1 })).toBeVisible();
  const c = await administers(await open(operator, at(house, bob.token)));
  await expect(c.main.getByText(/^Last seen /)).toBeVisible();
  await expect(c.rows("API keys")).toHaveCount(1);
  await expect(c.rows("Devices")).toHaveCount(2);
  await expect(c.row("Devices", "Android")).toContainText("127.0.0.1");
  const lost = c.row("Devices", "Android").getByRole("button", { name: "Sign out" });
  await c.page.setViewportSize({ width: 360, height: 640 });
  await lost.scrollIntoViewIfNeeded();
  await expect(lost).toBeInViewport({ ratio: 1 }); // it stays in sight where the row is cut
  await c.page.setViewportSize({ width: 1280, height: 800 });
  await lost.click();
  await c.confirm("Sign out");
  await expect(c.rows("Devices")).toHaveCount(1);
  await expect(phone.getByText("You’ve been signed out. Sign in again to continue.")).toBeVisible();
  await expect(desk.getByRole("heading", { name: "Bob Brown", level: 1 })).toBeVisible();
  await expect.poll(() => c.page.evaluate(() => document.activeElement?.tagName)).not.toBe("BODY"); // the row is gone, not the focus

  await open(bob);
  await c.page.reload();
  await expect(c.rows("Devices")).toHaveCount(2);
  await c.listing("Devices").getByRole("button", { name: "Sign out everywhere" }).click();
  await c.confirm("Sign out everywhere");
  await expect(c.listing("Devices").getByText("Not signed in anywhere.")).toBeVisible();
  await expect(desk.getByText("You’ve been signed out. Sign in again to continue.")).toBeVisible();
  await expect(c.rows("API keys")).toHaveCount(1); // the program goes on
});

test("signing out everywhere leaves the device where one does it", async ({ server, hospital, open }) => {
  const house = await hospital({ alice: "Alice Ames" });
  await server.operator.grantRole(house.alice.token, house.organization, "admin");
  const other = await open(house.alice);
  const c = await administers(await open(house.alice, at(house, house.alice.token)));
  await expect(c.rows("Devices")).toHaveCount(2);
  await c.listing("Devices").getByRole("button", { name: "Sign out everywhere" }).click();
  await c.confirm("Sign out everywhere");
  await expect(other.getByText("You’ve been signed out. Sign in again to continue.")).toBeVisible();
  await expect(c.rows("Devices")).toHaveCount(1);
});
