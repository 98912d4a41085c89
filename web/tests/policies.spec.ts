// Escalation policies in the console: one is made, changed and deleted, by those who may.
import type { Locator } from "@playwright/test";
import { Console } from "./fixtures/console.js";
import { admit } from "./fixtures/hospital.js";
import { expect, test } from "./fixtures/test.js";

const list = "Escalation policies";

/** Policy is the dialog in which one is filled in. */
class Policy {
  readonly name: Locator;
  readonly steps: Locator;

  constructor(readonly dialog: Locator) {
    this.name = dialog.getByRole("textbox", { name: "Name" });
    this.steps = dialog.getByRole("group", { name: "Steps" });
  }

  step(n: number): Locator {
    return this.steps.getByRole("group", { name: `Step ${n}` });
  }

  after(n: number): Locator {
    return this.step(n).getByLabel("Minutes after sending");
  }

  search(n: number): Locator {
    return this.step(n).getByRole("combobox", { name: "Search people and groups" });
  }

  /** chosen are whom a step tells. */
  chosen(n: number): Locator {
    return this.step(n).getByRole("list").getByRole("listitem");
  }

  /** choose has a step tell somebody more, by the search. */
  async choose(n: number, words: string, name: string): Promise<void> {
    await this.search(n).fill(words);
    await this.step(n).getByRole("option", { name }).click();
  }

  press(button: string): Promise<void> {
    return this.dialog.getByRole("button", { name: button, exact: true }).click();
  }
}

test("an escalation policy is made, put into another order, changed and deleted", async ({ server, hospital, open }) => {
  const { alice, bob, carol, organization } = await hospital({ alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clark" });
  await server.operator.grantRole(alice.token, organization, "admin");
  const group = await bob.client.in(organization).createGroup({ name: "Cardiology on duty", members: [carol.token] });
  const stored = () => server.operator.listEscalationPolicies(organization);
  const c = new Console(await open(alice, `/console/organizations/${organization}/people`));
  await c.elevate();
  await c.tab("Escalation");
  await expect(c.listing(list).getByText("No escalation policies.")).toBeVisible();

  await c.main.getByRole("button", { name: "New policy" }).click();
  const policy = new Policy(c.dialog);
  await expect(policy.name).toBeFocused();
  await policy.name.fill("Night");
  await c.dialog.getByLabel("Stops when").selectOption("Someone has taken it on");
  await policy.choose(1, "clar", "Carol Clark");
  await policy.press("Add step");
  await expect(policy.after(2)).toHaveValue("10");
  // By keys alone: what the search finds, and the order.
  await policy.search(2).focus();
  await c.page.keyboard.type("cardio");
  await expect(policy.step(2).getByRole("option", { name: "Cardiology on duty" })).toHaveAttribute("aria-selected", "true");
  await c.page.keyboard.press("Enter");
  await expect(policy.chosen(2)).toHaveText(["Cardiology on duty"]);
  await expect(policy.search(2)).toBeFocused();
  await expect(policy.search(2)).toHaveValue("");
  await policy.step(2).getByRole("button", { name: "Move up: Step 2" }).press("Enter");
  await expect(policy.chosen(1)).toHaveText(["Cardiology on duty"]); // the times stay in their order
  await expect(policy.after(1)).toHaveValue("5");
  await expect(policy.step(1).getByRole("button", { name: "Move up: Step 1" })).toBeFocused();
  await policy.step(1).getByRole("button", { name: "Move down: Step 1" }).click();
  await expect(policy.chosen(2)).toHaveText(["Cardiology on duty"]);
  await policy.press("Create policy");
  await expect(c.dialog).toBeHidden();
  const row = c.row(list, "Night");
  await expect(row).toContainText("Someone has taken it on");
  await expect(row.getByRole("listitem")).toHaveText(["after 5 min to Carol Clark", "after 10 min to Cardiology on duty"]);
  expect(await stored()).toEqual([{
    name: "Night", until: "confirmed", steps: [{ after: 5, to: [carol.token] }, { after: 10, to: [group.token] }],
  }]);

  await c.choose(row, "Edit policy");
  await expect(policy.name).toHaveValue("Night");
  await expect(policy.name).toHaveJSProperty("readOnly", true); // messages are sent with it by its name
  await policy.choose(1, "bob", "Bob Brown");
  await policy.chosen(1).filter({ hasText: "Carol Clark" }).getByRole("button").click();
  await policy.after(2).fill("20");
  await policy.press("Add step");
  await policy.choose(3, "alice", "Alice Ames");
  await policy.press("Remove Step 2");
  await expect(policy.after(2)).toHaveValue("25");
  await policy.press("Save");
  await expect(c.dialog).toBeHidden();
  await expect(row.getByRole("listitem")).toHaveText(["after 5 min to Bob Brown", "after 25 min to Alice Ames"]);

  await c.choose(row, "Delete policy");
  await expect(c.dialog).toContainText("Night");
  await c.confirm("Delete policy");
  await expect(c.page.getByText("Policy deleted.")).toBeVisible();
  await expect(row).toHaveCount(0);
  expect(await stored()).toEqual([]);
});

test("what is wrong with a policy stands where it is wrong", async ({ server, hospital, open }) => {
  const { alice, bob, carol, organization } = await hospital({ alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clark" });
  await server.operator.grantRole(alice.token, organization, "admin");
  await server.operator.setEscalationPolicy(organization, "Day", { steps: [{ after: 1, to: [bob.token, carol.token] }] });
  const c = new Console(await open(alice, `/console/organizations/${organization}/escalation`));
  await c.elevate();
  await expect(c.row(list, "Day")).toContainText("after 1 min to Bob Brown and Carol Clark");
  await c.main.getByRole("button", { name: "New policy" }).click();
  const policy = new Policy(c.dialog);
  const wrong = async (field: Locator, words: string) => {
    await policy.press("Create policy");
    await expect(field).toHaveAttribute("aria-invalid", "true");
    await expect(field).toHaveAccessibleDescription(words);
  };
  await wrong(policy.name, "Fill in this field.");
  await policy.name.fill("Day");
  await wrong(policy.search(1), "Choose at least one person or group.");
  await expect(policy.search(1)).toBeFocused();
  await policy.search(1).fill("Somebody");
  await expect(policy.step(1).getByRole("status")).toHaveText("No results.");
  await wrong(policy.search(1), "Choose from the list, or empty this field.");
  await policy.choose(1, "carol", "Carol Clark");
  await wrong(policy.name, "There is already a policy with this name.");
  for (const name of ["Night!", "."]) {
    await policy.name.fill(name);
    await wrong(policy.name, "Use 1 to 64 letters, digits, spaces, dots, hyphens or underscores, with a letter or digit at each end.");
  }
  await policy.name.fill("Night");
  await policy.after(1).fill("1441");
  await wrong(policy.after(1), "Check this entry.");
  await policy.after(1).fill("30");
  await policy.press("Add step");
  await policy.choose(2, "bob", "Bob Brown");
  await policy.after(2).fill("30");
  await wrong(policy.after(2), "Enter more minutes than in the step before.");
  await policy.after(2).fill("31");

  // She leaves while the dialog is open: the server says so of all steps.
  await server.operator.removeFromOrganization(carol.token, organization);
  await policy.press("Create policy");
  const unknown = "The escalation policy names someone who can’t be written to. Change it, or ask an administrator.";
  await expect(policy.steps.getByRole("alert")).toHaveText(unknown);
  await expect(policy.steps).toHaveAccessibleDescription(unknown);
  await policy.press("Cancel");

  // Whoever has left stands in a policy as such, until somebody takes her out.
  await c.page.reload();
  const row = c.row(list, "Day");
  await expect(row).toContainText("after 1 min to Bob Brown and (no longer there)");
  await c.choose(row, "Edit policy");
  await policy.press("Save");
  await expect(policy.search(1)).toHaveAccessibleDescription("Remove those who are no longer in the organization.");
  await policy.press("Remove (no longer there)");
  await policy.press("Save");
  await expect(c.dialog).toBeHidden();
  await expect(row).toContainText("after 1 min to Bob Brown");
  const [day] = await server.operator.listEscalationPolicies(organization);
  expect(day).toEqual({ name: "Day", until: "read", steps: [{ after: 1, to: [bob.token] }] });
});

test("members and administrators of other organizations do not come to the policies", async ({ server, hospital, open }) => {
  const { alice, bob, organization } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  await server.operator.setEscalationPolicy(organization, "Night", { steps: [{ after: 5, to: [bob.token] }] });
  const path = `/console/organizations/${organization}/escalation`;
  const member = new Console(await open(alice, path));
  await expect(member.page.getByText("The console is for administrators.")).toBeVisible();
  await expect(member.page.getByText("Night", { exact: true })).toHaveCount(0);

  const elsewhere = await server.operator.createOrganization({ name: "Clinic by the Lake" });
  const dana = await admit(server, elsewhere, "dana", "Dana Drew");
  await server.operator.grantRole(dana.token, elsewhere, "admin");
  const other = new Console(await open(dana, path));
  await other.shows("Page not found");
  await expect(other.page.getByText("Night", { exact: true })).toHaveCount(0);
});
