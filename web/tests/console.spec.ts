// The operator at the console of a server that nobody has set up yet.
import { Console } from "./fixtures/console.js";
import { password } from "./fixtures/hospital.js";
import { Messenger } from "./fixtures/messenger.js";
import { picture } from "./fixtures/picture.js";
import { expect, operator, test } from "./fixtures/test.js";

const people = `display_name,username,password,title
Bob Brown,bob,${password},Surgeon
"Clarke, Carol",carol,${password},=1+1
Alice again,alice,${password},
`;

test.use({ serve: [], untouched: true });

test("an operator sets a server up with the pages alone", async ({ server, open }) => {
  await expect.poll(() => server.said()).toContain("/console#first=");
  const secret = (await server.said()).split("#first=")[1]?.trim();
  const page = await open(undefined, `/console#first=${secret}`);
  const c = new Console(page);
  await c.shows("Welcome to Signet");
  await expect(page).toHaveURL("/console/start"); // the secret of the link is gone from it
  const step = (title: string) => {
    const heading = page.getByRole("heading", { name: title, exact: true });
    return c.main.getByRole("listitem").filter({ has: heading });
  };
  await picture(page, "console-first-start");
  await step("Set your password").getByLabel("New password").fill(password);
  await step("Set your password").getByRole("button", { name: "Set password" }).click();
  await expect(step("Set your password")).toHaveText("Set your passwordPassword set. Sign in as operator from now on.");
  await step("Create your organization").getByLabel("Organization name").fill("General Hospital");
  await step("Create your organization").getByRole("button", { name: "Create organization" }).click();
  await expect(step("Create your organization")).toHaveText("Create your organizationGeneral Hospital");
  await step("Add people").getByLabel("Display name").fill("Alice Ames");
  await step("Add people").getByLabel("Username").fill("alice");
  await step("Add people").getByLabel("Initial password").fill(password);
  await step("Add people").getByRole("button", { name: "Add person" }).click();
  await expect(step("Add people").getByRole("status")).toHaveText("1 account created: Alice Ames");
  await picture(page, "console-first-start-people");
  await step("Add people").getByRole("button", { name: "Continue" }).click();
  await step("Send the first message").getByRole("link", { name: "Manage General Hospital" }).click();
  await expect(c.rows("People")).toHaveCount(2);
  await c.importInto();
  await c.chooseFile(people);
  await expect(c.rows("Rows")).toHaveText([/^2Bob Brownbob.*New$/, /^3Clarke, Carolcarol.*New$/, /^4Alice againalice.*differs in: Name\. /]);
  await picture(page, "console-import");
  await c.main.getByRole("button", { name: "Create 2 accounts" }).click();
  await expect(c.main.getByRole("status").filter({ hasText: "accounts created" })).toContainText("1 person has an account already.");
  const download = page.waitForEvent("download");
  await c.main.getByRole("button", { name: "Download results (CSV)" }).click();
  expect((await download).suggestedFilename()).toBe("people.csv");
  await c.main.getByRole("button", { name: "Done", exact: true }).click();
  await expect(c.rows("People")).toHaveCount(4);
  await picture(page, "console-people");

  // Alice asks to be an administrator.
  const made = await server.operator.createKey("alice", {});
  const organizations = await server.operator.getUserOrganizations("alice");
  const organization = organizations[0]?.token ?? "";
  const alice = server.client({ key: made.api_key, secret: made.api_secret });
  await alice.grantRole("me", organization, "admin");
  await c.tab("Requests");
  await expect(c.rows("Requests")).toHaveText([/^Alice Ames/]);
  await picture(page, "console-requests");
  await c.row("Requests", "Alice Ames").getByRole("button", { name: "Approve" }).click();
  await expect(c.listing("Requests").getByText("No open requests.")).toBeVisible();

  await c.tab("People");
  await c.row("People", "Alice Ames").getByRole("link", { name: "Alice Ames Administrator" }).click();
  await expect(c.rows("API keys")).toHaveCount(1);
  await c.listing("API keys").getByRole("button", { name: "New API key" }).click();
  await c.dialog.getByLabel("Label").fill("Lab interface");
  await c.dialog.getByLabel("Expires").selectOption("In 30 days");
  await c.dialog.getByRole("button", { name: "Create key" }).click();
  const key = await c.issuedKey();
  await picture(page, "console-secret");
  await c.keep();
  await expect(c.rows("API keys")).toHaveCount(2);
  await picture(page, "console-person");
  await c.revoke(key);
  await expect(c.rows("API keys")).toHaveCount(1);

  await c.tab("Audit log");
  await expect(c.entry("Operator revoked an API key or session of Alice Ames.")).toBeVisible();
  await c.main.getByRole("button", { name: "Verify log" }).click();
  await expect(c.main.getByRole("status").filter({ hasText: "The log is intact" })).toHaveText(/: \d+ entries since .+\.$/);
  await c.main.getByRole("button", { name: "Watch live" }).click();
  await expect(c.main.getByRole("button", { name: "Stop watching" })).toBeVisible();
  await picture(page, "console-audit");
  await c.tab("Delivery problems");
  await expect(c.listing("Queues not being read").getByText("All queues are being read.")).toBeVisible();
  await expect(c.listing("Undelivered messages").getByText("No undelivered messages.")).toBeVisible();
  await c.tab("Settings");
  await expect(c.main.getByRole("textbox", { name: "Messages expire after" })).toHaveValue("30");
  await picture(page, "console-organization-settings");
  await expect(c.main.getByLabel("Allow forwarding")).toBeChecked();
  await c.main.getByLabel("Allow forwarding").click();
  await c.main.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Saved.", { exact: true })).toBeVisible();
  const { settings } = await server.operator.getOrganization(organization);
  expect(settings).toContainEqual(expect.objectContaining({ name: "forward", value: false }));

  for (const [entry, shown] of [
    ["Overview", c.row("Servers", "Running")],
    ["Organizations", c.row("Organizations", "General Hospital")],
    ["Keys and sessions", c.row("Keys and sessions", "alice")],
    ["Delivery problems", c.listing("Queues not being read").getByText("All queues are being read.")],
    ["Audit log", c.entry("Operator signed in with the setup link.")],
    ["Settings", c.row("Settings", "limits.messages_per_day")],
  ] as const) {
    await c.go(entry);
    await expect(shown).toBeVisible();
    await expect(c.problem).toHaveCount(0);
    await picture(page, `console-${entry}`);
  }

  // The password of the first step is good.
  await expect(new Messenger(await open(operator)).list).toBeVisible();
});
