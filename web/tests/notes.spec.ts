// What changed of a group stands among its messages.
import { Messenger } from "./fixtures/messenger.js";
import { inBothThemes } from "./fixtures/picture.js";
import { expect, test } from "./fixtures/test.js";

const time = String.raw` · \d{1,2}:\d\d\s[AP]M$`;
const note = (words: string) => new RegExp(`^${words.replace(/[.]/g, "\\$&")}${time}`, "u");

test("members see what changes of their group, as it happens and later, in one order with its messages", async ({
  hospital, open,
}) => {
  const { alice, bob, carol, dan } = await hospital({
    alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clarke", dan: "Dan Drake",
  });
  const ward = await alice.client.createGroup({ name: "Ward 3", members: [bob.token] });
  const b = new Messenger(await open(bob, `/c/${ward.token}`));
  const created = note("Alice Ames created the group “Ward 3” with Bob Brown");
  await expect(b.notes).toHaveText([created]);
  await expect(b.list.getByRole("img", { name: "unread" })).toHaveCount(0);

  await alice.client.addGroupMembers(ward.token, [carol.token]);
  await alice.client.addGroupMembers(ward.token, [dan.token]);
  const added = note("Alice Ames added Carol Clarke and Dan Drake");
  await expect(b.notes).toHaveText([created, added]);
  await alice.tell(ward, "Good morning.");
  await alice.client.updateGroup(ward.token, { name: "Ward 3, nights", replay_history: true });
  const named = note("Alice Ames renamed the group to “Ward 3, nights”");
  const shown = note("Alice Ames let new members see earlier messages");
  await expect(b.notes).toHaveText([created, added, named, shown]);
  await expect(b.items).toHaveText([/^Today$/, created, added, /Good morning\./, named, shown]);

  // A screen reader is told of it where the conversation is open.
  await expect(b.page.getByRole("log")).toContainText("Alice Ames let new members see earlier messages");

  await alice.client.removeGroupMembers(ward.token, [carol.token]);
  await dan.client.removeGroupMembers(ward.token, ["me"]);
  const last = [note("Alice Ames removed Carol Clarke"), note("Dan Drake left")];
  await expect(b.notes).toHaveText([created, added, named, shown, ...last]);

  // A later name changes nothing of it, and neither does a reload.
  await alice.client.updateUserSettings("me", { display_name: "Alice Adams" });
  await b.page.reload();
  await expect(b.notes).toHaveText([created, added, named, shown, ...last]);
  await expect(b.list.getByRole("img", { name: "unread" })).toHaveCount(0);
  for (const width of [1280, 360]) await inBothThemes(b.page, "notes", width);
});

test("what changed while there was no connection is there after it", async ({ hospital, open }) => {
  const { alice, bob, carol } = await hospital({ alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clarke" });
  const ward = await alice.client.createGroup({ name: "Ward 3", members: [bob.token] });
  const b = new Messenger(await open(bob, `/c/${ward.token}`));
  await expect(b.notes).toHaveCount(1);
  await b.page.context().setOffline(true);
  await alice.client.addGroupMembers(ward.token, [carol.token]);
  await alice.tell(ward, "Good morning.");
  await b.page.context().setOffline(false);
  await expect(b.message("Good morning.")).toBeVisible();
  await expect(b.notes).toHaveText([/created/, note("Alice Ames added Carol Clarke")]);
});

test("whoever is removed is told by whom, and when", async ({ hospital, open }) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const ward = await alice.client.createGroup({ name: "Ward 3", members: [bob.token] });
  await alice.tell(ward, "Good morning.");
  const b = new Messenger(await open(bob, `/c/${ward.token}`));
  await expect(b.message("Good morning.")).toBeVisible();
  await alice.client.removeGroupMembers(ward.token, [bob.token]);
  await expect(b.page.getByRole("main").getByRole("status").filter({ hasText: "no longer" }))
    .toHaveText(/^Alice Ames removed you on .*\d:\d\d.*\. You’re no longer in this group\.$/);
  await expect(b.notes).toHaveText([/created/]);
});

for (const [locale, words] of [
  ["de", ["Alice Ames hat die Gruppe „Ward 3“ angelegt, mit dabei: Bob Brown", "Alice Ames hat Carol Clarke und Dan Drake hinzugefügt", "Carol Clarke hat die Gruppe verlassen"]],
  ["fr", ["Alice Ames a créé le groupe « Ward 3 » avec Bob Brown", "Alice Ames a ajouté Carol Clarke et Dan Drake", "Carol Clarke a quitté le groupe"]],
] as const) {
  test(`notes are said in the language of the reader, ${locale}`, async ({ hospital, open }) => {
    const { alice, bob, carol, dan } = await hospital({
      alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clarke", dan: "Dan Drake",
    });
    const ward = await alice.client.createGroup({ name: "Ward 3", members: [bob.token] });
    await alice.client.addGroupMembers(ward.token, [carol.token, dan.token]);
    await carol.client.removeGroupMembers(ward.token, ["me"]);
    const page = await open(bob, `/c/${ward.token}`, { locale });
    await expect(page.getByRole("note")).toContainText([...words]);
  });
}
