// Rotas in the console: a group gets one, which is changed and ended, by those who may.
import type { Locator } from "@playwright/test";
import { Console } from "./fixtures/console.js";
import { admit } from "./fixtures/hospital.js";
import { expect, test } from "./fixtures/test.js";

const preview = "Who is on duty in the next two weeks";
const day = 24 * 3_600_000;

/** Rota is the dialog in which one is filled in. */
class Rota {
  readonly timezone: Locator;
  readonly turns: Locator;
  readonly turn: Locator;
  readonly hours: Locator;
  readonly start: Locator;
  readonly always: Locator;
  readonly fallback: Locator;

  constructor(readonly dialog: Locator) {
    this.timezone = dialog.getByLabel("Time zone");
    this.turns = dialog.getByRole("list", { name: "Turns" }).getByRole("listitem");
    this.turn = dialog.getByRole("combobox", { name: "Add a person" });
    this.hours = dialog.getByLabel("Hours of a turn");
    this.start = dialog.getByLabel("First turn begins");
    this.always = dialog.getByRole("combobox", { name: "Always in the group" });
    this.fallback = dialog.getByRole("combobox", { name: "If no one is on duty" });
  }

  /** choose finds somebody in a field. */
  async choose(field: Locator, words: string, name: string): Promise<void> {
    await field.fill(words);
    await this.dialog.getByRole("option", { name }).click();
  }

  press(button: string): Promise<void> {
    return this.dialog.getByRole("button", { name: button, exact: true }).click();
  }
}

/** yesterday is eight in the morning of the day before, by UTC. */
function yesterday(): string {
  return `${new Date(Date.now() - day).toISOString().slice(0, 10)}T08:00`;
}

test("a group gets a rota, and shows the shifts that the server says, until it ends", async ({ server, hospital, open }) => {
  const { alice, bob, carol, dan, organization } = await hospital({
    alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clark", dan: "Dan Drake",
  });
  await server.operator.grantRole(alice.token, organization, "admin");
  const there = bob.client.in(organization);
  const { token: group } = await there.createGroup({ name: "Cardiology on duty", members: [carol.token] });
  const c = new Console(await open(alice, `/console/organizations/${organization}/groups/${group}`)); // she is not in it
  await c.elevate();
  await expect(c.rows("Group members")).toHaveCount(2);
  await c.main.getByRole("button", { name: "Set up rota" }).click();
  const rota = new Rota(c.dialog);
  await expect(rota.timezone).toBeFocused();
  await expect(c.dialog).toContainText("Members of the group who aren’t in the rota leave it when you save.");
  await rota.timezone.fill("UTC");
  await rota.choose(rota.turn, "bob", "Bob Brown");
  await rota.choose(rota.turn, "clark", "Carol Clark");
  await rota.press("Add a turn without anyone");
  await expect(rota.turns).toHaveText([/Bob Brown/, /Carol Clark/, /No one/]);
  // The order, by keys and by the mouse.
  await rota.turns.getByRole("button", { name: "Move up: turn 2, Carol Clark" }).press("Enter");
  await expect(rota.turns).toHaveText([/Carol Clark/, /Bob Brown/, /No one/]);
  await expect(rota.turns.getByRole("button", { name: "Move up: turn 1, Carol Clark" })).toBeFocused();
  await rota.turns.getByRole("button", { name: "Move up: turn 3, No one" }).click();
  await rota.hours.fill("24");
  await rota.start.fill(yesterday());
  await rota.choose(rota.always, "dan", "Dan Drake");
  await rota.choose(rota.fallback, "bob", "Bob Brown");
  await rota.press("Save");
  await expect(c.dialog).toBeHidden();

  const set = await there.getDuty(group);
  expect(set.timezone).toBe("UTC");
  expect(set.rotation).toEqual({ accounts: [carol.token, "", bob.token], start: `${yesterday()}:00.000Z`, hours: 24 });
  expect([set.always, set.fallback]).toEqual([[dan.token], [bob.token]]);
  await expect(c.main.getByRole("definition").filter({ hasText: "Carol Clark → No one → Bob Brown" })).toBeVisible();
  const rows = c.rows(preview);
  await expect(rows.filter({ hasText: /Bob Brown|Carol Clark/ })).toHaveCount(set.shifts.length);
  await expect(rows.filter({ hasText: "No one" })).not.toHaveCount(0);
  const times = await rows.getByRole("time").evaluateAll((all) => all.map((one) => one.getAttribute("datetime")));
  expect(times).toEqual(expect.arrayContaining(set.shifts.flatMap(({ from, to }) => [from, to])));
  await expect(c.row("Group members", "Dan Drake")).toBeVisible(); // the rota says who is in it
  await expect(c.main.getByRole("button", { name: "Add people" })).toHaveCount(0);

  await c.main.getByRole("button", { name: "End rota" }).click();
  await c.confirm("End rota");
  await expect(c.main.getByRole("button", { name: "Set up rota" })).toBeVisible();
  await expect(c.row("Group members", "Dan Drake")).toBeVisible();
  await expect(c.main.getByRole("button", { name: "Add people" })).toBeVisible();
  expect((await there.getGroup(group)).duty).toBeUndefined();
});

test("a change of a rota keeps all that it is not about", async ({ hospital, server, open }) => {
  const { alice, bob, carol, dan, organization } = await hospital({
    alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clark", dan: "Dan Drake",
  });
  await server.operator.grantRole(alice.token, organization, "admin");
  const there = bob.client.in(organization);
  const { token: group } = await there.createGroup({ name: "Cardiology on duty", members: [] });
  const at = (days: number) => new Date(Math.floor(Date.now() / day + days) * day).toISOString();
  const before = {
    timezone: "Europe/Berlin",
    // The second time at which the clock shows half past two that night.
    rotation: { accounts: [bob.token, "", bob.token], start: "2025-10-26T01:30:00.000Z", hours: 36 },
    overrides: [{ from: at(-9), to: at(-8), account: dan.token }, { from: at(3), to: at(4), account: carol.token }],
    always: [bob.token, dan.token],
    fallback: [carol.token],
  };
  await there.setDuty(group, before);
  const c = new Console(await open(alice, `/console/organizations/${organization}/groups/${group}`));
  await c.elevate();
  await expect(c.row(preview, "Carol Clark")).toContainText("Changed");
  await c.main.getByRole("button", { name: "Edit rota" }).click();
  const rota = new Rota(c.dialog);
  await expect(rota.timezone).toHaveValue("Europe/Berlin");
  await expect(rota.start).toHaveValue("2025-10-26T02:30");
  await expect(rota.hours).toHaveValue("36");
  await expect(c.dialog.getByText("1 change to a shift is kept. It is edited in the messenger.")).toBeVisible();

  // Somebody else changes a shift meanwhile.
  const overrides = [...before.overrides, { from: at(5), to: at(6), account: dan.token }];
  await there.setDuty(group, { ...before, overrides });
  await rota.hours.fill("48");
  await rota.press("Save");
  await expect(c.dialog).toBeHidden();
  await expect(c.main.getByRole("definition").filter({ hasText: "48 hours" })).toBeVisible();
  expect(await there.getDuty(group)).toMatchObject({ ...before, overrides, rotation: { ...before.rotation, hours: 48 } });
});

test("what is wrong with a rota stands where it is wrong", async ({ server, hospital, open }) => {
  const { alice, bob, carol, organization } = await hospital({ alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clark" });
  await server.operator.grantRole(alice.token, organization, "admin");
  const { token: group } = await bob.client.in(organization).createGroup({ name: "Cardiology on duty", members: [] });
  const c = new Console(await open(alice, `/console/organizations/${organization}/groups/${group}`));
  await c.elevate();
  await c.main.getByRole("button", { name: "Set up rota" }).click();
  const rota = new Rota(c.dialog);
  const wrong = async (field: Locator, words: string | RegExp) => {
    await rota.press("Save");
    await expect(field).toHaveAttribute("aria-invalid", "true");
    await expect(field).toHaveAccessibleDescription(words);
  };
  await rota.timezone.fill("Mars/Olympus");
  await wrong(rota.timezone, "This time zone isn’t known here. Choose one from the list.");
  await rota.timezone.fill("europe/berlin"); // which browsers take
  await wrong(rota.timezone, "The server doesn’t know this time zone.");
  await rota.timezone.fill("Europe/Berlin");
  await wrong(rota.turn, "Choose a person, and an end after the beginning.");
  await rota.turn.fill("Nobody at all");
  await wrong(rota.turn, "Choose from the list, or empty this field.");
  await rota.choose(rota.turn, "bob", "Bob Brown");
  for (const hours of ["0", "8785", ""]) {
    await rota.hours.fill(hours);
    await wrong(rota.hours, hours ? "Check this entry." : "Fill in this field.");
  }
  await rota.hours.fill("24");
  await rota.start.fill("1999-12-31T08:00");
  await wrong(rota.start, "Check this entry.");
  await rota.start.fill(yesterday());
  await rota.choose(rota.always, "carol", "Carol Clark");
  await server.operator.removeFromOrganization(carol.token, organization);
  await wrong(rota.always, "Some of these people aren’t in this organization.");
  await rota.press("Remove Carol Clark");
  await expect(rota.always).toBeFocused();
  await rota.press("Save");
  await expect(c.dialog).toBeHidden();
  await expect(c.main.getByRole("button", { name: "End rota" })).toBeVisible();
});

test("members and administrators of other organizations do not come to a rota", async ({ server, hospital, open }) => {
  const { alice, bob, organization } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const { token: group } = await bob.client.in(organization).createGroup({ name: "Cardiology on duty", members: [alice.token] });
  const member = new Console(await open(alice, `/console/organizations/${organization}/groups/${group}`));
  await expect(member.page.getByText("The console is for administrators.")).toBeVisible();

  const elsewhere = await server.operator.createOrganization({ name: "Clinic by the Lake" });
  const dana = await admit(server, elsewhere, "dana", "Dana Drew");
  await server.operator.grantRole(dana.token, elsewhere, "admin");
  const other = new Console(await open(dana, `/console/organizations/${organization}/groups/${group}`));
  await other.shows("Page not found");
  await other.page.goto(`/console/organizations/${elsewhere}/groups/${group}`);
  await other.elevate();
  await expect(other.problem).toHaveText("This no longer exists, or you don’t have access to it.");
  await expect(other.page.getByText("Cardiology on duty")).toHaveCount(0);
});
