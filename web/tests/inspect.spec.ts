// The details of a message.
import { Messenger } from "./fixtures/messenger.js";
import { inBothThemes } from "./fixtures/picture.js";
import { expect, test } from "./fixtures/test.js";

test("a message is inspected by keyboard alone, beside its conversation or over it", async ({ hospital, open }) => {
  const { alice, bob, hubert } = await hospital({
    alice: "Alice Ames", bob: "Bob Brown", hubert: "Wolfeschlegelsteinhausenbergerdorff-Hubert Blaine",
  });
  const group = await alice.client.createGroup({ name: "Ward 3", members: [bob.token, hubert.token] });
  await alice.tell(group, "Good morning.");
  await bob.tell(group, "Good morning, Alice.");
  const a = new Messenger(await open(alice, `/c/${group.token}`));
  const b = new Messenger(await open(bob));
  const { keyboard } = a.page;
  /** toFirst goes from where one writes to the first message. */
  const toFirst = async () => {
    await a.field.focus();
    await keyboard.press("ArrowUp");
    await expect(a.message("Good morning, Alice.")).toBeFocused();
    await keyboard.press("ArrowUp");
    await expect(a.message("Good morning.")).toBeFocused();
  };

  // Where there is room, beside the conversation.
  await expect(a.messages).toHaveCount(2);
  await toFirst();
  await keyboard.press("i");
  const inspected = a.details.getByRole("region", { name: "Message details" });
  await expect(inspected.getByRole("heading", { name: "Message details" })).toBeFocused();
  await expect(inspected.getByRole("listitem")).toHaveCount(2);
  await expect(a.dialog).toHaveCount(0);
  await expect(a.page).toHaveURL(/\/details$/);
  await b.open("Ward 3");
  await expect(inspected.getByRole("list")).toHaveText([/Bob Brown/, /Hubert Blaine/]); // whoever has read it is first
  await expect(inspected.getByRole("list", { name: "Read" })).toContainText("Bob Brown");
  await expect(inspected.getByRole("img", { name: "Read" })).toBeVisible();
  await inBothThemes(a.page, "message-info", 1280);
  await keyboard.press("Escape");
  await expect(inspected).toHaveCount(0);
  await expect(a.details).toBeVisible();
  await expect(a.message("Good morning.")).toBeFocused();
  await keyboard.press("ArrowDown");
  await keyboard.press("ArrowDown");
  await expect(a.field).toBeFocused();
  await keyboard.press("Escape");
  await expect(a.details).toHaveCount(0);

  // Else over it.
  for (const width of [800, 360]) {
    await a.page.setViewportSize({ width, height: 800 });
    await toFirst();
    await keyboard.press("i");
    await expect(a.dialog.getByRole("listitem")).toHaveCount(2);
    await inBothThemes(a.page, "message-info", width);
    await keyboard.press("Escape");
    await expect(a.dialog).toHaveCount(0);
    await expect(a.message("Good morning.")).toBeFocused();
    // The mark below it leads there at one tap.
    await a.message("Good morning.").getByRole("button", { name: "read by 1 of 2" }).click();
    await expect(a.dialog.getByRole("list", { name: "Read" })).toContainText("Bob Brown");
    await expect(a.dialog.getByRole("list", { name: "Sent" })).toContainText("Hubert");
    await keyboard.press("Escape");
    await expect(a.dialog).toHaveCount(0);
  }
});

test("a message is inspected over its conversation in a window that has only just become narrow", async ({ hospital, open }) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  await alice.tell(bob, "Good morning.");
  const a = new Messenger(await open(alice, `/c/${bob.token}`));
  await expect(a.messages).toHaveCount(1);
  for (let time = 0; time < 6; time++) {
    await a.page.setViewportSize({ width: 1280, height: 800 });
    await a.field.focus();
    await a.page.keyboard.press("ArrowUp");
    await expect(a.message("Good morning.")).toBeFocused();
    await a.page.setViewportSize({ width: 800, height: 800 });
    await a.page.keyboard.press("i"); // before the next frame, now and then
    await expect(a.dialog.getByRole("listitem")).toHaveCount(1);
    await expect(a.page).not.toHaveURL(/\/details$/);
    await a.page.keyboard.press("Escape");
    await expect(a.dialog).toHaveCount(0);
  }
});
