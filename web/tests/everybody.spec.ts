// The group that always holds everyone in an organization.
import { Console } from "./fixtures/console.js";
import { password } from "./fixtures/hospital.js";
import { Messenger } from "./fixtures/messenger.js";
import { expect, test } from "./fixtures/test.js";

test("administrators write to everyone, and nobody leaves", async ({ server, hospital, open }) => {
  const { dana, alice, organization } = await hospital({ dana: "Dana Drew", alice: "Alice Ames" });
  await server.operator.grantRole(dana.token, organization, "admin");
  await server.operator.in(organization).createGroup({ name: "All staff", everyone: true });

  // She who is no administrator reads, and is offered nothing that she may not do.
  const a = new Messenger(await open(alice));
  await a.open("All staff");
  await expect(a.page.getByRole("status").filter({ hasText: "Only administrators write to this group." })).toBeVisible();
  await expect(a.field).toHaveCount(0);
  await a.page.getByRole("button", { name: "Details" }).click();
  await expect(a.details.getByText("Alice Ames")).toBeVisible();
  for (const name of ["Edit group", "Leave group", "Add people"]) {
    await expect(a.details.getByRole("button", { name })).toHaveCount(0);
  }

  const d = new Messenger(await open(dana));
  await d.open("All staff");
  await d.write("The lifts are out of order.");
  await expect(a.message("The lifts are out of order.")).toBeVisible();
  await a.menu("The lifts are out of order.");
  await expect(a.page.getByRole("menuitem", { name: "Reply" })).toHaveCount(0);
});

test("a group of very many is only counted, and written to all the same", async ({ server, hospital, open }) => {
  const { dana, organization } = await hospital({ dana: "Dana Drew" });
  for (let batch = 0; batch < 4; batch++) {
    const users = Array.from({ length: 500 }, () => ({ username: `one-of-many-${server.next()}`, display_name: "Max Many" }));
    const made = await server.operator.in(organization).createUsers({ users });
    expect(made.results.flatMap(({ error }) => error ?? [])).toEqual([]);
  }
  await server.operator.grantRole(dana.token, organization, "admin");
  await server.operator.in(organization).createGroup({ name: "All staff", everyone: true });
  const d = new Messenger(await open(dana));
  await d.page.request.post("/v2/session/elevate", { data: { password }, headers: { "Sec-Fetch-Site": "same-origin" } });
  await d.page.reload();
  await d.open("All staff");
  await d.page.getByRole("button", { name: "Details" }).click();
  await expect(d.details.getByRole("heading", { name: "2,002 people" })).toBeVisible(); // with Dana and the operator

  // Once the group was asked for, it has a list of members, which is empty.
  await d.details.getByRole("button", { name: "Edit group" }).click();
  await d.dialog.getByLabel("Group name").fill("Everyone here");
  await d.dialog.getByRole("button", { name: "Save" }).click();
  await d.shows("Everyone here");
  await expect(d.details.getByText("You’re not a member of this group.")).toHaveCount(0);
  await expect(d.details.getByRole("alert").filter({ hasText: /./ })).toHaveCount(0);
  await d.write("The lifts run again.");
  await expect(d.message("The lifts run again.")).toBeVisible();
});

test("the console tells a group of everyone apart", async ({ server, hospital, open }) => {
  const { dana, organization } = await hospital({ dana: "Dana Drew" });
  await server.operator.grantRole(dana.token, organization, "admin");
  const group = await server.operator.in(organization).createGroup({ name: "All staff", everyone: true });
  const c = new Console(await open(dana, `/console/organizations/${organization}/groups/${group.token}`));
  await c.elevate();
  await expect(c.main.getByText(/^It always holds everyone in the organization: \d+ people\./)).toBeVisible();
  await expect(c.main.getByRole("button", { name: "Add people" })).toHaveCount(0);
  await c.main.getByRole("button", { name: "Edit group" }).click();
  await expect(c.dialog.getByLabel("Group name")).toBeVisible();
  await expect(c.dialog.getByRole("checkbox")).toHaveCount(1); // nobody joins it
  await c.dialog.getByLabel("Group name").fill("Everyone here");
  await c.dialog.getByRole("button", { name: "Save" }).click();
  await expect(c.main.getByRole("heading", { name: "Everyone here" })).toBeVisible();
});
