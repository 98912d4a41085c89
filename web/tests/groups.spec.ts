// What the creator of a group does with it, and how its members see it.
import type { Locator } from "@playwright/test";
import { hold } from "./fixtures/held.js";
import { Messenger } from "./fixtures/messenger.js";
import { inBothThemes, picture } from "./fixtures/picture.js";
import { expect, test } from "./fixtures/test.js";

/** The smallest picture there is. */
const dot = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
const ward = { name: "ward.gif", mimeType: "image/gif", buffer: dot };

const left = "You’re no longer in this group.";
const history = { name: "New members can see earlier messages" };

/** members are those whom the details of a group list. */
function members({ details }: Messenger): Locator {
  return details.getByRole("region", { name: "Group members" }).getByRole("listitem");
}

test("a group is named, pictured, joined and left, as all of its people see at once", async ({ hospital, open }) => {
  const { alice, bob, hubert } = await hospital({
    alice: "Alice Ames", bob: "Bob Brown", hubert: "Wolfeschlegelsteinhausenbergerdorff-Hubert Blaine",
  });
  const group = await alice.client.createGroup({ name: "Ward 3", members: [bob.token] });
  await alice.tell(group, "Before the switch.");
  const a = new Messenger(await open(alice, `/c/${group.token}/details`));
  const b = new Messenger(await open(bob, `/c/${group.token}/details`));
  await expect(members(a)).toHaveCount(2);
  await expect(members(b)).toHaveCount(2);

  // A mere member is not offered what it may not do.
  await b.details.getByRole("button", { name: "Edit group" }).click();
  await expect(b.dialog.getByRole("textbox", { name: "Group name" })).toBeVisible();
  await expect(b.dialog.getByRole("checkbox", history)).toHaveCount(0);
  await b.dialog.getByRole("button", { name: "Cancel" }).click();

  await a.details.getByRole("button", { name: "Edit group" }).click();
  await a.dialog.getByRole("textbox", { name: "Group name" }).fill("Ward 3, nights");
  const chooser = a.page.waitForEvent("filechooser");
  await a.dialog.getByRole("button", { name: "Choose picture" }).click();
  await (await chooser).setFiles(ward);
  // Screen readers pass it over: its name stands beside it.
  await expect(a.dialog.getByRole("presentation")).toHaveJSProperty("naturalWidth", 1);
  await a.dialog.getByRole("checkbox", history).click();
  await picture(a.page, "group-edit");
  await a.dialog.getByRole("button", { name: "Save" }).click();
  await expect(a.dialog).toHaveCount(0);
  for (const m of [a, b]) {
    await m.shows("Ward 3, nights");
    await expect(m.entry("Ward 3, nights")).toBeVisible();
    await expect(m.details.getByRole("presentation")).toHaveJSProperty("naturalWidth", 1);
  }
  await a.details.getByRole("button", { name: "Edit group" }).click();
  await a.dialog.getByRole("button", { name: "Remove picture" }).click();
  await a.dialog.getByRole("button", { name: "Save" }).click();
  await expect(b.page.getByRole("presentation")).toHaveCount(0);

  // Who is added sees what was written since it is shown.
  await bob.tell(group, "Bed 12 is free.");
  await a.details.getByRole("button", { name: "Add people" }).click();
  await a.dialog.getByRole("searchbox", { name: "Search people" }).fill("wolfe");
  await a.dialog.getByRole("button", { name: hubert.name }).click();
  await picture(a.page, "group-add");
  const h = new Messenger(await open(hubert));
  await expect(h.list.getByText("No conversations yet.")).toBeVisible();
  await a.dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect(members(b)).toHaveCount(3);
  await h.open("Ward 3, nights");
  await expect(h.messages).toHaveText([/Bed 12 is free\./]);
  await h.write("Thanks!");
  await expect(a.messages).toHaveText([/Before the switch\./, /Bed 12 is free\./, /Thanks!/]);
  for (const width of [1280, 800, 360]) await inBothThemes(a.page, "group-details", width);

  // Who is removed keeps what it got, and is told that it writes no more.
  await members(a).getByRole("button", { name: `Remove ${hubert.name}` }).click();
  await picture(a.page, "group-remove");
  await a.dialog.getByRole("button", { name: "Remove" }).click();
  await expect(members(a)).toHaveCount(2);
  await expect(members(b)).toHaveCount(2);
  const said = h.page.getByRole("status").filter({ hasText: /./ });
  await expect(said).toHaveText([/^Alice Ames removed you on .* You’re no longer in this group\.$/]);
  await expect(h.field).toHaveCount(0);
  await expect(h.messages).toHaveCount(2);
  await expect(h.entry("Ward 3, nights").getByRole("img", { name: left })).toBeVisible();
  for (const width of [1280, 800, 360]) await inBothThemes(h.page, "group-left", width);
  await h.page.reload();
  await expect(said).toHaveText([left]);
  await expect(h.messages).toHaveCount(2);
  await expect(h.field).toHaveCount(0);
  await expect(h.page.getByRole("alert").filter({ hasText: /./ })).toHaveCount(0);
});

test("of a group that was removed on another device, nothing stays on the screen", async ({ hospital, open }) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const group = await alice.client.createGroup({ name: "Ward 3", members: [bob.token] });
  await alice.tell(group, "The code is 4711.");
  const b = new Messenger(await open(bob, `/c/${group.token}`));
  await expect(b.message("The code is 4711.")).toBeVisible();
  await bob.client.removeFromRoster(group.token);
  await expect(b.page.getByText("4711")).toHaveCount(0);
  await expect(b.messages).toHaveCount(0);
});

test("a late answer brings nothing back of a group that was removed on another device", async ({ hospital, open }) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const group = await alice.client.createGroup({ name: "Ward 3", members: [bob.token] });
  await alice.tell(group, "The code is 4711.");
  const b = new Messenger(await open(bob, "/", { serviceWorkers: "block" })); // it would make the calls
  const history = await hold(b.page, ({ pathname }) => pathname.endsWith("/message"));
  await b.open("Ward 3");
  await expect.poll(() => history.count).toBe(1);
  history.end();
  const again = b.page.waitForResponse(/\/message\?/);
  await bob.client.removeFromRoster(group.token);
  await (await again).finished();
  await history.release();
  await expect(b.messages).toHaveCount(0);
  await expect(b.page.getByText("4711")).toHaveCount(0);
});
