// Asking to become an administrator, and deciding about it.
import { Console } from "./fixtures/console.js";
import { expect, operator, test } from "./fixtures/test.js";

test("a person asks to become an administrator, and is told that the request waits", async ({ server, hospital, open }) => {
  const { alice, bob, organization } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const clinic = await server.operator.createOrganization({ name: "Clinic by the Lake" });
  await server.operator.addToOrganization(alice.token, { organization: clinic });
  const page = await open(alice, "/console");
  const own = page.getByRole("region", { name: "Organizations" }).getByRole("listitem");
  await expect(own).toHaveCount(2);
  const hers = own.filter({ hasText: "General Hospital" });
  await hers.getByRole("button", { name: "Ask to become an administrator of General Hospital" }).click();
  await expect(hers.getByRole("status")).toHaveText("Request sent. An administrator must approve it.");
  await expect(hers.getByRole("button")).toHaveCount(0);
  await page.reload();
  await expect(hers.getByRole("status")).toHaveText("Request sent. An administrator must approve it."); // not only then
  await expect(own.filter({ hasText: "Clinic by the Lake" }).getByRole("button")).toBeVisible();

  // The number stands on the tab, whichever page of the organization is open.
  await bob.client.grantRole("me", organization, "admin");
  const c = new Console(await open(operator, `/console/organizations/${organization}/people`));
  await c.elevate();
  const tab = c.tabs.filter({ hasText: "Requests" });
  await expect(tab).toHaveText("Requests2");
  await c.tab("Requests");
  await expect(c.row("Requests", "Bob Brown").getByRole("link", { name: "Bob Brown" })).toBeVisible();
  await c.row("Requests", "Bob Brown").getByRole("button", { name: "Decline" }).click();
  await expect(tab).toHaveText("Requests1");
  await c.row("Requests", "Alice Ames").getByRole("button", { name: "Approve" }).click();
  await expect(c.listing("Requests").getByText("No open requests.")).toBeVisible();
  await expect(tab).toHaveText("Requests");

  // She comes back to the page, and the console is there.
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await expect(new Console(page).entries).toHaveText(["Overview", "Organizations", "Messenger", "API"]);
});

test("a request says since when it waits", async ({ hospital, open }) => {
  const { bob, organization } = await hospital({ bob: "Bob Brown" });
  await bob.client.grantRole("me", organization, "admin");
  const c = new Console(await open(operator, `/console/organizations/${organization}/requests`));
  await c.elevate();
  await expect(c.row("Requests", "Bob Brown").getByRole("time")).toBeVisible();
});
