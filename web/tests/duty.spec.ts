// Who is on duty for a group, now and for two weeks, and who changes that.
import { Messenger } from "./fixtures/messenger.js";
import { expect, test } from "./fixtures/test.js";
import { withTime } from "./fixtures/time.js";

/** dayAgo is a whole hour of yesterday, so that somebody's turn is going on. */
function dayAgo(): string {
  return new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 - 24 * 3_600_000).toISOString();
}

test("a group with a rota says who is on duty, and nobody leaves it", async ({ hospital, open }) => {
  const { alice, bob, carol, organization } = await hospital({ alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clark" });
  const there = alice.client.in(organization);
  const group = await there.createGroup({ name: "Cardiology on duty", members: [carol.token] });
  const rotation = { accounts: [bob.token], start: dayAgo(), hours: 48 };
  await there.setDuty(group.token, { timezone: "UTC", rotation, always: [carol.token], fallback: [carol.token] });

  const c = new Messenger(await open(carol));
  await c.open("Cardiology on duty");
  await expect(c.page.getByRole("status").filter({ hasText: /^On duty until .+: Bob Brown$/ })).toBeVisible();
  await c.page.getByRole("button", { name: "Details" }).click();
  for (const name of ["Leave group", "Add people", "Change who is on duty"]) {
    await expect(c.details.getByRole("button", { name })).toHaveCount(0);
  }
  const hours = c.details.getByRole("table", { name: "Who is on duty in the next two weeks" });
  await expect(hours.getByRole("row")).toHaveCount(14);
  await expect(hours.getByRole("cell", { name: /: Bob Brown$/ })).toHaveCount(14 * 24);

  // Without anybody on duty, the fallback is named.
  await there.setDuty(group.token, { timezone: "UTC", rotation: { ...rotation, accounts: [""] }, always: [carol.token], fallback: [carol.token] });
  await expect(c.page.getByRole("status").filter({ hasText: "No one is on duty. Instead: Carol Clark" })).toBeVisible();
});

test("whoever made the group changes who is on duty, by the keyboard and by dragging", async ({ hospital, open }) => {
  const { alice, bob, organization } = await hospital({ alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clark" });
  const there = alice.client.in(organization);
  const group = await there.createGroup({ name: "Cardiology on duty", members: [] });
  await there.setDuty(group.token, {
    timezone: "UTC", rotation: { accounts: [bob.token], start: dayAgo(), hours: 24 }, always: [alice.token],
  });
  const a = new Messenger(await open(alice));
  await a.open("Cardiology on duty");
  await a.page.getByRole("button", { name: "Details" }).click();
  const hours = a.details.getByRole("grid", { name: "Who is on duty in the next two weeks" });
  const changes = a.details.getByRole("list", { name: "Changes" });
  const choose = async (name: string) => {
    await a.dialog.getByRole("searchbox").fill(name);
    await a.dialog.getByRole("button", { name }).click();
    await a.dialog.getByRole("button", { name: "Save" }).click();
    await expect(a.dialog).toHaveCount(0);
  };

  // Three hours of the second day.
  await a.details.getByRole("button", { name: "Change who is on duty" }).focus();
  for (const key of ["Tab", "ArrowDown", "Shift+ArrowRight", "Shift+ArrowRight", "Enter"]) await a.page.keyboard.press(key);
  await choose("Carol Clark");
  await expect(hours.getByRole("gridcell", { name: /, changed: Carol Clark$/ })).toHaveCount(3);
  await expect(changes.getByRole("listitem")).toHaveText([/^Carol Clark/]);

  // Two of the third.
  const day = new Intl.DateTimeFormat("en", { weekday: "short", day: "numeric", timeZone: "UTC" });
  const name = day.format(Date.now() + 2 * 24 * 3_600_000);
  const third = hours.getByRole("row").filter({ has: a.page.getByRole("rowheader", { name, exact: true }) });
  await third.getByRole("gridcell", { name: /04:00 AM/ }).hover();
  await a.page.mouse.down();
  await third.getByRole("gridcell", { name: /05:00 AM/ }).hover();
  await a.page.mouse.up();
  await choose("Alice Ames");
  await expect(hours.getByRole("gridcell", { name: /, changed: Alice Ames$/ })).toHaveCount(2);
  await expect(changes.getByRole("listitem")).toHaveCount(2);

  await changes.getByRole("listitem").filter({ hasText: "Carol Clark" }).getByRole("button", { name: /^Remove the change of/ }).click();
  await expect(hours.getByRole("gridcell", { name: /: Carol Clark$/ })).toHaveCount(0);
  const { overrides } = await there.getDuty(group.token);
  expect(overrides.map(({ account }) => account)).toEqual([alice.token]);
  expect(Date.parse(overrides[0]?.to ?? "") - Date.parse(overrides[0]?.from ?? "")).toBe(2 * 3_600_000);
});

test("a change of the rota is removed, and not another one that has its place by now", async ({ hospital, open }) => {
  const { alice, bob, carol, organization } = await hospital({ alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clark" });
  const there = alice.client.in(organization);
  const group = await there.createGroup({ name: "Cardiology on duty", members: [] });
  const at = (hours: number) => new Date(Date.parse(dayAgo()) + hours * 3_600_000).toISOString();
  const rota = { timezone: "UTC", rotation: { accounts: [bob.token], start: dayAgo(), hours: 24 }, always: [alice.token] };
  const overrides = [{ from: at(72), to: at(73), account: alice.token }, { from: at(96), to: at(97), account: carol.token }];
  await there.setDuty(group.token, { ...rota, overrides });
  const a = new Messenger(await open(alice));
  await a.open("Cardiology on duty");
  await a.page.getByRole("button", { name: "Details" }).click();
  const changes = a.details.getByRole("list", { name: "Changes" });
  await expect(changes.getByRole("listitem")).toHaveCount(2);

  // Somebody else removes the first one, of which the page is not told, and this page too.
  await there.setDuty(group.token, { ...rota, overrides: overrides.slice(1) });
  await changes.getByRole("listitem").filter({ hasText: "Alice Ames" }).getByRole("button", { name: /^Remove the change of/ }).click();
  await expect(changes.getByRole("listitem")).toHaveText([/^Carol Clark/]);
  expect((await there.getDuty(group.token)).overrides).toHaveLength(1);
});

test("the button that removes a change says its time as the rota's clock shows it, as the change does", async ({ hospital, open }) => {
  const { alice, bob, organization } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const there = alice.client.in(organization);
  const group = await there.createGroup({ name: "Cardiology on duty", members: [] });
  const at = (hours: number) => new Date(Date.parse(dayAgo()) + hours * 3_600_000).toISOString();
  await there.setDuty(group.token, {
    timezone: "Pacific/Auckland", rotation: { accounts: [bob.token], start: dayAgo(), hours: 24 }, always: [alice.token],
    overrides: [{ from: at(72), to: at(73), account: alice.token }],
  });
  const a = new Messenger(await open(alice, "/", { timezoneId: "Europe/Zurich" }));
  await a.open("Cardiology on duty");
  await a.page.getByRole("button", { name: "Details" }).click();
  const change = a.details.getByRole("list", { name: "Changes" }).getByRole("listitem");
  const [, from = ""] = /^Alice Ames(.+) – /.exec((await change.textContent()) ?? "") ?? [];
  expect(from).not.toBe("");
  await expect(change.getByRole("button")).toHaveAccessibleName(`Remove the change of ${from}`);
});

test("a change that is being entered stays when the members change, and its time is the server's", async ({ hospital, open }) => {
  const { alice, bob, carol, organization } = await hospital({ alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clark" });
  const there = alice.client.in(organization);
  const group = await there.createGroup({ name: "Cardiology on duty", members: [] });
  const rotation = { accounts: [bob.token], start: dayAgo(), hours: 24 };
  await there.setDuty(group.token, { timezone: "UTC", rotation, always: [alice.token] });
  const a = new Messenger(await open(alice, "/healthz"));
  await withTime(a.page, 3 * 24 * 3_600_000); // her computer is three days ahead
  await a.page.goto("/");
  await a.open("Cardiology on duty");
  await a.page.getByRole("button", { name: "Details" }).click();
  const today = new Intl.DateTimeFormat("en", { weekday: "short", day: "numeric", timeZone: "UTC" }).format(Date.now());
  const days = a.details.getByRole("rowheader");
  await expect(days).toHaveText([today, ...Array<RegExp>(13).fill(/\d/)]);
  await a.details.getByRole("button", { name: "Change who is on duty" }).click();
  await expect(a.dialog.getByLabel("Starts")).toHaveValue(new RegExp(`^${new Date().toISOString().slice(0, 10)}`));

  await a.dialog.getByRole("searchbox").fill("Carol Clark");
  await a.dialog.getByRole("button", { name: "Carol Clark" }).click();
  await there.setDuty(group.token, { timezone: "UTC", rotation, always: [alice.token, carol.token] });
  await expect(a.details.getByRole("region", { name: "Group members", includeHidden: true })).toContainText("Carol Clark");
  await a.dialog.getByRole("button", { name: "Save" }).click();
  await expect(a.details.getByRole("list", { name: "Changes" }).getByRole("listitem")).toHaveText([/^Carol Clark/]);
});

test("whoever made a group is told when nobody is on duty", async ({ hospital, open }) => {
  const { alice, carol, organization } = await hospital({ alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clark" });
  const there = alice.client.in(organization);
  const group = await there.createGroup({ name: "Cardiology on duty", members: [] });
  const a = new Messenger(await open(alice));
  const rotation = { accounts: [""], start: dayAgo(), hours: 48 };
  await there.setDuty(group.token, { timezone: "UTC", rotation, always: [alice.token], fallback: [carol.token] });
  const notice = a.page.getByRole("alert").filter({ hasText: "No one is on duty in Cardiology on duty." });
  await expect(notice).toBeVisible();
  await a.page.getByRole("link", { name: "Show", exact: true }).click();
  await expect(a.details.getByRole("grid", { name: "Who is on duty in the next two weeks" })).toBeVisible();
  await expect(a.page.getByRole("status").filter({ hasText: "No one is on duty. Instead: Carol Clark" })).toBeVisible();
  await a.page.getByRole("group", { name: "Cardiology on duty" }).getByRole("button", { name: "Close" }).click();
  await expect(notice).toHaveCount(0);
});
