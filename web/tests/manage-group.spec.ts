// Groups, managed by an administrator who is in none of them.
import { Console } from "./fixtures/console.js";
import { expect, test } from "./fixtures/test.js";

test("an administrator manages a group without being in it", async ({ server, hospital, open }) => {
  const names = { dana: "Dana Drew", alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clarke" };
  const { dana, alice, bob, carol, organization } = await hospital(names);
  await server.operator.grantRole(dana.token, organization, "admin");
  const group = await alice.client.createGroup({ name: "Wrad 3", members: [bob.token] });
  await alice.tell({ token: group.token }, "The results are in.");
  const c = new Console(await open(dana, `/console/organizations/${organization}/groups`));
  await c.elevate();
  await c.row("Groups", "Wrad 3").getByRole("link", { name: "Wrad 3" }).click();
  await expect(c.main.getByRole("heading", { name: "Wrad 3" })).toBeVisible();
  await expect(c.main.getByRole("definition").filter({ hasText: "Alice Ames, administrators of the organization" })).toBeVisible();
  await expect(c.page.getByText("The results are in.")).toHaveCount(0); // she manages it, and reads nothing
  const members = c.rows("Group members");
  await expect(members).toHaveCount(2);

  await c.main.getByRole("button", { name: "Edit group" }).click();
  await c.dialog.getByLabel("Group name").fill("Ward 3");
  await c.dialog.getByLabel("New members can see earlier messages").check();
  await c.dialog.getByRole("button", { name: "Save" }).click();
  await expect(c.main.getByRole("heading", { name: "Ward 3" })).toBeVisible();
  await expect.poll(() => alice.client.getGroup(group.token)).toMatchObject({ name: "Ward 3", replay_history: true });

  await c.main.getByRole("button", { name: "Add people" }).click();
  await c.dialog.getByRole("searchbox", { name: "Search people" }).fill("b");
  await expect(c.dialog.getByText("Already a member")).toBeVisible(); // Bob is offered to nobody
  await c.dialog.getByRole("searchbox", { name: "Search people" }).fill("clarke");
  await c.dialog.getByRole("button", { name: "Add Carol Clarke" }).click();
  await expect(c.dialog.getByText("Already a member")).toBeVisible();
  await c.dialog.getByRole("button", { name: "Done", exact: true }).click();
  await expect(c.dialog).toBeHidden();
  await expect(members).toHaveCount(3);
  expect((await carol.client.getGroup(group.token)).num_members).toBe(3);

  await c.row("Group members", "Bob Brown").getByRole("button", { name: "Remove Bob Brown" }).click();
  await c.page.getByRole("dialog", { name: "Remove from group" }).getByRole("button", { name: "Remove", exact: true }).click();
  await expect(members).toHaveCount(2);
  await expect.poll(() => c.page.evaluate(() => document.activeElement?.tagName)).not.toBe("BODY");
  await c.row("Group members", "Carol Clarke").getByRole("link", { name: "Carol Clarke" }).click();
  await expect(c.main.getByRole("heading", { name: "Carol Clarke" })).toBeVisible();
  await c.page.goBack();

  await c.act("Delete group");
  await c.confirm("Delete group");
  await expect(c.listing("Groups").getByText("No groups.")).toBeVisible();
});

test("a group is managed after the quarter of an hour too, for which one confirms once more who one is", async ({ server, hospital, open }) => {
  const { dana, alice, organization } = await hospital({ dana: "Dana Drew", alice: "Alice Ames" });
  await server.operator.grantRole(dana.token, organization, "admin");
  const group = await alice.client.createGroup({ name: "Ward 3" });
  const c = new Console(await open(dana, `/console/organizations/${organization}/groups/${group.token}`));
  await c.elevate();
  await c.main.getByRole("button", { name: "Edit group" }).click();
  await c.dialog.getByLabel("Group name").fill("Ward 4");
  const response = await c.page.request.delete("/v2/session/elevate", { headers: { "Sec-Fetch-Site": "same-origin" } });
  expect(response.status()).toBe(204);
  await c.page.evaluate(() => new BroadcastChannel("signet-session").postMessage(null)); // as if in another tab
  await expect(c.page.getByRole("button", { name: "Admin access until", includeHidden: true })).toHaveCount(0);
  await c.dialog.getByRole("button", { name: "Save" }).click();
  await c.elevate();
  await expect(c.main.getByRole("heading", { name: "Ward 4" })).toBeVisible();
});
