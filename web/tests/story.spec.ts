// Two people, each at a device of their own.
import { Messenger, signIn } from "./fixtures/messenger.js";
import { password } from "./fixtures/hospital.js";
import { expect, test } from "./fixtures/test.js";

test("two people write to each other, and see how far each message got", async ({ hospital, open }) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  await bob.tell(alice, "Is bed 12 free?");
  const a = new Messenger(await open(undefined));
  await signIn(a.page, alice.username, password);
  await expect(a.entry("Bob Brown").getByRole("img", { name: "1 unread" })).toHaveText("1");
  await expect(a.page).toHaveTitle("(1) Signet");
  await a.open("Bob Brown");
  await expect(a.message("Is bed 12 free?")).toBeVisible();
  await expect(a.list.getByRole("img", { name: "unread" })).toHaveCount(0);

  await a.write("It is. <b>Send her up.</b>");
  await a.hasStatus("It is.", "Sent");
  const b = new Messenger(await open(undefined));
  await signIn(b.page, bob.username, password);
  await a.hasStatus("It is.", "Delivered");
  await b.open("Alice Ames");
  await expect(b.message("It is. <b>Send her up.</b>")).toBeVisible();
  await a.hasStatus("It is.", "Read");
  await b.write("On my way.");
  await expect(a.items).toContainText(["Is bed 12 free?", "It is. <b>Send her up.</b>", "On my way."]);
  await b.own("Sign out");
  await expect(b.page.getByLabel("Username")).toBeVisible();
});
