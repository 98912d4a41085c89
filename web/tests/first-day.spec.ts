// An administrator's first day: people come from a list, one is misspelt, one leaves, and a phone is lost.
import { Console } from "./fixtures/console.js";
import { password } from "./fixtures/hospital.js";
import { Messenger } from "./fixtures/messenger.js";
import { expect, test } from "./fixtures/test.js";

const mobile = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1";

test("an administrator's first day", async ({ server, hospital, open }) => {
  const { dana, organization } = await hospital({ dana: "Dana Drew" });
  await server.operator.grantRole(dana.token, organization, "admin");
  const n = server.next();
  const [anna, bob, carol] = [`anna-${n}`, `bob-${n}`, `carol-${n}`];
  const c = new Console(await open(dana, `/console/organizations/${organization}/people`));
  await c.elevate();

  // The people of the ward come from a list, with an address that a spreadsheet wrote.
  await c.importInto();
  const list = [
    "display_name,username,email,password,title,department",
    `Anna Meier,${anna},${anna}@example.com,${password},Nurse,Ward 3`,
    `Bob Brown,${bob},,${password},Surgeon,Ward 3`,
    `Carol Clarke,${carol},,${password},,Ward 3`,
  ].join("\n");
  await c.chooseFile(list, "ward.csv");
  await c.previews();
  await c.main.getByRole("button", { name: "Create 3 accounts" }).click();
  await expect(c.main.getByText("3 accounts created.")).toBeVisible();
  await c.main.getByRole("button", { name: "Done", exact: true }).click();
  await expect(c.rows("People")).toHaveCount(5); // with Dana, and the operator who made the organization

  // Anna's name is spelt otherwise, and she has a phone.
  await c.row("People", "Anna Meier").getByRole("link", { name: "Anna Meier" }).click();
  await expect(c.main.getByText("Nurse · Ward 3", { exact: true })).toBeVisible();
  await expect(c.main.getByText("Has never signed in.")).toBeVisible();
  await c.main.getByRole("button", { name: "Edit person" }).click();
  await c.dialog.getByLabel("Display name").fill("Anna Mayer");
  await c.dialog.getByLabel("Phones").fill(`+49 30 ${1_000_000 + n}`);
  await c.dialog.getByRole("button", { name: "Save" }).click();
  await expect(c.main.getByRole("heading", { name: "Anna Mayer" })).toBeVisible();
  const a = new Messenger(await open({ username: anna }));
  await expect(a.list.getByRole("heading", { name: "Anna Mayer", level: 1 })).toBeVisible();

  // Bob has lost his phone. The desk goes on.
  const phone = new Messenger(await open({ username: bob }, "/", { userAgent: mobile }));
  const desk = new Messenger(await open({ username: bob }));
  await expect(phone.list).toBeVisible();
  await expect(desk.list).toBeVisible();
  await c.tab("People");
  await c.row("People", "Bob Brown").getByRole("link", { name: "Bob Brown" }).click();
  await expect(c.rows("Devices")).toHaveCount(2);
  await c.row("Devices", "iPhone").getByRole("button", { name: "Sign out" }).click();
  await c.confirm("Sign out");
  await expect(phone.page.getByText("You’ve been signed out. Sign in again to continue.")).toBeVisible();
  await expect(c.rows("Devices")).toHaveCount(1);
  await expect(desk.list).toBeVisible();

  // Carol leaves: at once nothing of hers opens, and then she is no longer a member.
  const left = new Messenger(await open({ username: carol }));
  await expect(left.list).toBeVisible();
  await c.tab("People");
  await c.row("People", "Carol Clarke").getByRole("link", { name: "Carol Clarke" }).click();
  await c.act("Disable account");
  await c.confirm("Disable account");
  await expect(c.main.getByText("Disabled", { exact: true })).toBeVisible();
  await expect(left.page.getByText("You’ve been signed out. Sign in again to continue.")).toBeVisible();
  await c.act("Remove from organization");
  await c.confirm("Remove from organization");
  await expect(c.rows("People")).toHaveCount(4);
  await expect(c.row("People", "Carol Clarke")).toHaveCount(0);

  // All of it stands in the audit log.
  const actions = (await server.operator.getOrganizationAudit(organization, { limit: 1000 })).map(({ action }) => action);
  expect(actions).toEqual(expect.arrayContaining(["user.create", "user.rename", "key.revoke", "user.disable", "member.remove"]));
});
