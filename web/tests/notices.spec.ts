// How somebody hears of a message without looking at it: by a notification, and by a screen reader.
import { Messenger } from "./fixtures/messenger.js";
import { expect, test } from "./fixtures/test.js";

/** Notices is the messenger with the notifications that it has the system show. */
class Notices extends Messenger {
  /** choose chooses in the settings how much is told, and waits until that is kept. */
  async choose(words: string, as: string): Promise<void> {
    await this.page.getByRole("button", { name: "Settings" }).click();
    await this.dialog.getByLabel("Notifications").selectOption(words);
    await expect.poll(() => this.page.evaluate(() => localStorage.getItem("signet-notices"))).toBe(as);
    await this.page.keyboard.press("Escape");
    await expect(this.dialog).toHaveCount(0);
  }

  /**
   * tells waits until these notifications are shown, and no other. It waits less than the 25 seconds after which
   * Chromium ends a notification by itself.
   */
  async tells(...notices: string[]): Promise<void> {
    const shown = async () => {
      const worker = await navigator.serviceWorker.ready;
      return (await worker.getNotifications()).map(({ title, body }) => `${title}: ${body}`);
    };
    await expect.poll(() => this.page.evaluate(shown), { timeout: 15_000 }).toEqual(notices);
  }

  /** hasIcon waits until the tab's icon has or has not the mark of what is unread. */
  async hasIcon(unread: boolean): Promise<void> {
    const icon = () => document.querySelector<HTMLLinkElement>("link[rel=icon]")?.href.includes("unread");
    await expect.poll(() => this.page.evaluate(icon)).toBe(unread);
  }
}

test("messages are told by notifications, as much as one chose, until they are read", async ({ hospital, open }) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const a = new Notices(await open(alice, "/", { permissions: ["notifications"] }));
  await expect(a.list.getByText("No conversations yet.")).toBeVisible();
  await a.hasIcon(false);
  await a.choose("That there is a message", "sign");
  await bob.tell(alice, "Is bed 12 free?");
  await a.tells("Signet: New message");
  await a.hasIcon(true);
  await a.choose("With name and text", "content");
  await bob.tell(alice, "Hello?");
  await a.tells("Bob Brown: Hello?");
  await a.open("Bob Brown");
  await expect(a.message("Hello?")).toBeVisible();
  await a.tells();
  await a.hasIcon(false);
});

test("a screen reader says what comes into the open conversation, and that something comes elsewhere", async ({
  hospital, open,
}) => {
  const { alice, bob, carol, dan } = await hospital({
    alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clarke", dan: "Dan Drake",
  });
  await alice.tell(dan, "Good morning.");
  await bob.tell(alice, "Good morning, Alice.");
  const a = new Messenger(await open(alice));
  const heard = a.page.getByRole("log");
  await expect(heard).toHaveAttribute("aria-live", "polite");
  // Besides what it holds: all that it has held, one after the other.
  const all = await heard.evaluateHandle((log) => {
    const said = [log.textContent];
    const note = () => said.push(log.textContent);
    new MutationObserver(note).observe(log, { childList: true, characterData: true, subtree: true });
    return said;
  });
  await a.open("Bob Brown");
  await expect(a.message("Good morning, Alice.")).toBeVisible();
  await expect(heard).toBeEmpty();
  for (const words of ["Is bed 12 free?", "Hello?"]) {
    await bob.tell(alice, words);
    await expect(heard).toHaveText(`Bob Brown: ${words}`);
  }
  const wrong = await bob.tell(alice, "The wrong window");
  await expect(heard).toHaveText("Bob Brown: The wrong window");
  await bob.client.recallMessage(wrong);
  await expect(heard).toBeEmpty(); // what is gone is gone
  await dan.tell(alice, "The lab calls.");
  await expect(heard).toHaveText("New message: Dan Drake");
  await carol.tell(alice, "So does the ward.");
  await expect(heard).toHaveText("New message"); // whose conversation the page does not know yet
  expect(await all.jsonValue()).toEqual([
    "", "Bob Brown: Is bed 12 free?", "Bob Brown: Hello?", "Bob Brown: The wrong window", "",
    "New message: Dan Drake", "New message",
  ]);
});
