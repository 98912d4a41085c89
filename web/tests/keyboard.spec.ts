// The messenger by its keys alone.
import { Messenger } from "./fixtures/messenger.js";
import { picture } from "./fixtures/picture.js";
import { expect, test } from "./fixtures/test.js";

test("the keyboard goes between conversations, to what is unread, back, and to the overview of the keys", async ({
  hospital, open,
}) => {
  const { alice, bob, carol, dan } = await hospital({
    alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clarke", dan: "Dan Drake",
  });
  for (const person of [bob, carol, dan]) await person.tell(alice, "Good morning.");
  const a = new Messenger(await open(alice));
  const entries = a.list.getByRole("listitem").getByRole("button");
  const unread = a.list.getByRole("img", { name: "unread" });
  await expect(entries).toContainText(["Dan Drake", "Carol Clarke", "Bob Brown"]);
  await expect(entries).toHaveCount(3);
  await expect(unread).toHaveCount(3);

  await a.page.keyboard.press("Alt+ArrowDown");
  await a.shows("Dan Drake");
  await expect(unread).toHaveCount(2);
  await a.page.keyboard.press("Alt+ArrowDown");
  await a.shows("Carol Clarke");
  await expect(unread).toHaveCount(1);
  await a.page.keyboard.press("Alt+ArrowUp");
  await a.shows("Dan Drake");
  await a.page.keyboard.press("Alt+Shift+ArrowDown");
  await a.shows("Bob Brown");
  await a.page.keyboard.press("Escape");
  await expect(a.page).toHaveURL("/");
  await expect(a.page.getByRole("main").getByRole("heading")).toHaveCount(0);
  await expect(a.page.getByText("Select a conversation, or search for someone to write to.")).toBeVisible();

  await a.page.keyboard.press("?");
  await expect(a.page.getByRole("dialog", { name: "Keyboard shortcuts" }).getByRole("term")).toHaveCount(13);
  await picture(a.page, "help");
  await a.page.keyboard.press("Escape");
  await expect(a.dialog).toHaveCount(0);
});
