// How somebody hears of a message without looking at it: by a notification, and by a screen reader.
import { hold } from "./fixtures/held.js";
import { type Person, password } from "./fixtures/hospital.js";
import { Messenger, signIn } from "./fixtures/messenger.js";
import { expect, test } from "./fixtures/test.js";
import { withTime } from "./fixtures/time.js";
import { launch, whole } from "./playwright.config.js";

test.use({ launchOptions: launch(...whole) }); // the shell without windows shows no notifications

/** Notices is the messenger with the notifications that it has the system show. */
class Notices extends Messenger {
  /** choose chooses in the settings how much is told, and waits until that is kept. */
  async choose(words: string, { token }: Person, as: string): Promise<void> {
    await this.own("Settings");
    await this.dialog.getByLabel("Notifications", { exact: true }).selectOption(words);
    const kept = () => this.page.evaluate((name) => localStorage.getItem(name), `signet-notices-${token}`);
    await expect.poll(kept).toBe(as);
    await this.page.keyboard.press("Escape");
    await expect(this.dialog).toHaveCount(0);
  }

  /** hasChosen waits until the settings say how much is told. */
  async hasChosen(value: string): Promise<void> {
    await this.own("Settings");
    await expect(this.dialog.getByLabel("Notifications", { exact: true })).toHaveValue(value);
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
      // While no tab has one shown: Chromium would forget it.
      const all = await navigator.locks.request("signet-notifications", () => worker.getNotifications());
      return all.map(({ title, body }) => `${title}: ${body}`);
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
  await a.choose("“New message” only", alice, "sign");
  await bob.tell(alice, "Is bed 12 free?");
  await a.tells("Signet: New message");
  await a.hasIcon(true);
  await a.choose("Sender and text", alice, "content");
  await bob.tell(alice, "Hello?");
  await a.tells("Bob Brown: Hello?");
  await a.open("Bob Brown");
  await expect(a.message("Hello?")).toBeVisible();
  await a.tells();
  await a.hasIcon(false);
});

test("a notification names the sender alone, and goes when its conversation is read elsewhere", async ({ hospital, open }) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  await bob.tell(alice, "Good morning.");
  const a = new Notices(await open(alice, "/", { permissions: ["notifications"] }));
  await expect(a.entry("Bob Brown")).toBeVisible();
  await a.choose("With name", alice, "name");
  await bob.tell(alice, "Is bed 12 free?");
  await a.tells("Bob Brown: New message");
  await bob.tell(alice, { body: "Bed 4: call me NOW", priority: 1 });
  await a.tells("Bob Brown: New urgent message");
  await alice.read(bob);
  await a.comeBack();
  await a.tells();
});

test("a notification says no more what was taken back, or is over, while something else is unread", async ({ hospital, open }) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  await bob.tell(alice, "Good morning.");
  const a = new Notices(await open(alice, "/healthz", { permissions: ["notifications"] }));
  await withTime(a.page);
  await a.page.goto("/");
  await expect(a.entry("Bob Brown")).toBeVisible();
  await a.choose("Sender and text", alice, "content");
  const wrong = await bob.tell(alice, "Bed 12 is free.");
  await a.tells("Bob Brown: Bed 12 is free.");
  await bob.client.recallMessage(wrong);
  await a.tells("Bob Brown: New message");
  await bob.tell(alice, { body: "The code is 4711.", ttl: 5 });
  await a.tells("Bob Brown: The code is 4711.");
  await a.page.evaluate(() => window.goOn(301_000));
  await a.tells("Bob Brown: New message");
  await alice.read(bob);
  await a.comeBack();
  await a.tells();
});

/** unasked has a page take it that the browser has not been asked for notifications yet. It counts when it is. */
function unasked(): void {
  const counted = Object.assign(window, { asked: 0 });
  let answer: NotificationPermission = "default";
  Object.defineProperty(Notification, "permission", { get: () => answer });
  Notification.requestPermission = async () => {
    counted.asked++;
    return (answer = "granted");
  };
}

for (const width of [1280, 360]) {
  test(`at ${width}, notifications are offered once a message was not seen, and the browser asks who wants them`, async ({
    hospital, open,
  }) => {
    const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
    await bob.tell(alice, "Good morning.");
    const viewport = { width, height: 740 };
    const a = new Notices(await open(alice, "/healthz", { permissions: ["notifications"], viewport }));
    await a.page.addInitScript(unasked);
    await a.page.goto("/");
    await a.isUpToDate();
    const offer = a.page.getByRole("group", { name: "Notifications" });
    await bob.tell(alice, "Is bed 12 free?");
    await expect(a.entry("Bob Brown")).toContainText("Is bed 12 free?");
    await expect(offer).toHaveCount(0);
    await a.page.evaluate(() => (document.hasFocus = () => false)); // it is not looked at
    await bob.tell(alice, "Hello?");
    await expect(offer).toBeVisible();
    const asked = () => a.page.evaluate(() => (window as unknown as { asked: number }).asked);
    expect(await asked()).toBe(0);
    await offer.getByRole("button", { name: "Turn on" }).click();
    await expect(offer).toHaveCount(0);
    expect(await asked()).toBe(1);
    await bob.tell(alice, "Are you there?");
    await a.tells("Signet: New message");
  });

  test(`at ${width}, notifications are offered after what one sends first, and not again to who does not want them`, async ({
    hospital, open,
  }) => {
    const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
    await bob.tell(alice, "Good morning.");
    const a = new Notices(await open(alice, "/healthz", { viewport: { width, height: 740 } }));
    await a.page.addInitScript(unasked);
    await a.page.goto("/");
    await a.open("Bob Brown");
    await expect(a.message("Good morning.")).toBeVisible();
    const offer = a.page.getByRole("group", { name: "Notifications" });
    await expect(offer).toHaveCount(0);
    await a.write("Good morning, Bob.");
    await a.field.fill("And");
    await offer.getByRole("button", { name: "Not now" }).click();
    await expect(offer).toHaveCount(0);
    await expect(a.field).toHaveValue("And");
    await a.page.reload();
    await a.write("Is bed 12 free?");
    await a.hasStatus("Is bed 12 free?", "Sent");
    await expect(offer).toHaveCount(0);
    expect(await a.page.evaluate(() => (window as unknown as { asked: number }).asked)).toBe(0);
  });
}

test("notifications are not asked for while one is being shown, which would be forgotten", async ({ hospital, open }) => {
  const { alice, bob, carol } = await hospital({ alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clarke" });
  for (const from of [bob, carol]) await from.tell(alice, "Good morning."); // so that the page knows of whom messages are
  const a = new Notices(await open(alice, "/", { permissions: ["notifications"] }));
  for (const { name } of [bob, carol]) await expect(a.entry(name)).toBeVisible();
  await a.choose("Sender and text", alice, "content");
  await bob.tell(alice, "Is bed 12 free?");
  await a.tells("Bob Brown: Is bed 12 free?");
  await a.page.evaluate(holdNotifications);
  await carol.tell(alice, "Hello?");
  await expect.poll(() => a.page.evaluate(() => (window as unknown as Held).showing)).toBe(true);
  await a.open("Bob Brown"); // the page asks for his notification, to close it
  await expect(a.entry("Bob Brown").getByRole("img", { name: "unread" })).toHaveCount(0);
  await a.page.evaluate(() => (window as unknown as Held).letShow());
  await a.tells("Carol Clarke: Hello?");
});

interface Held {
  /** Whether one is being shown. */
  showing: boolean;
  letShow: () => void;
}

/** holdNotifications has showing a notification last until it is let end. */
function holdNotifications(): void {
  const { showNotification, getNotifications } = ServiceWorkerRegistration.prototype;
  const held = window as unknown as Held;
  const end = new Promise<void>((resolve) => (held.letShow = resolve));
  let forgotten = false;
  ServiceWorkerRegistration.prototype.showNotification = async function (...as) {
    held.showing = true;
    await end;
    held.showing = false;
    if (!forgotten) await showNotification.apply(this, as);
  };
  ServiceWorkerRegistration.prototype.getNotifications = function (...of) {
    forgotten ||= held.showing; // as Chromium does
    return getNotifications.apply(this, of);
  };
}

test("a message that comes before the page has its worker is told when it has", async ({ hospital, open }) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const a = new Notices(await open(alice, "/healthz", { permissions: ["notifications"] }));
  await a.page.addInitScript(holdWorkers);
  await a.page.goto("/");
  await expect(a.list.getByText("No conversations yet.")).toBeVisible();
  await a.choose("“New message” only", alice, "sign");
  await bob.tell(alice, "Is bed 12 free?");
  await expect(a.entry("Bob Brown")).toBeVisible();
  await a.page.evaluate(() => (window as unknown as { letWorkersBegin: () => void }).letWorkersBegin());
  await a.tells("Signet: New message");
});

/** holdWorkers has workers wait until they are let begin. */
function holdWorkers(): void {
  const { register } = ServiceWorkerContainer.prototype;
  const begin = new Promise<void>((resolve) => Object.assign(window, { letWorkersBegin: resolve }));
  ServiceWorkerContainer.prototype.register = async function (...by) {
    await begin;
    return register.apply(this, by);
  };
}

test("notifications end with their session, in all tabs, and how much they tell is each person's choice", async ({
  hospital, open,
}) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  await bob.tell(alice, "Good morning."); // so that each tab knows of whom messages are
  const a = new Notices(await open(alice, "/", { permissions: ["notifications"] }));
  const other = new Notices(await a.page.context().newPage());
  await other.page.goto("/");
  for (const tab of [a, other]) await expect(tab.entry("Bob Brown")).toBeVisible();
  await a.page.bringToFront();
  await a.choose("Sender and text", alice, "content");
  await bob.tell(alice, "Is bed 12 free?");
  await a.tells("Bob Brown: Is bed 12 free?");

  // Signed out in the other tab.
  await other.page.bringToFront();
  await other.own("Sign out");
  for (const page of [a.page, other.page]) await expect(page.getByLabel("Username")).toBeVisible();
  await other.tells();

  // The next person at this device is told nothing, and in neither tab, until he chooses.
  await signIn(other.page, bob.username, password);
  await other.hasChosen("off");
  await a.page.bringToFront();
  await a.hasChosen("off");
  await alice.tell(bob, "It is.");
  await expect(a.entry("Alice Ames")).toContainText("It is.");
  await a.tells();
  await a.own("Sign out");

  // Ended from elsewhere, while a tab is open.
  await signIn(a.page, alice.username, password);
  for (const tab of [a, other]) await expect(tab.entry("Bob Brown")).toBeVisible(); // either may hear of a message first
  await a.hasChosen("content");
  await bob.tell(alice, "And bed 13?");
  await a.tells("Bob Brown: And bed 13?");
  await endSessions(alice);
  await expect(a.page.getByLabel("Username")).toBeVisible();
  await a.tells();

  // Ended while none is: it ends as one is opened.
  await signIn(a.page, alice.username, password);
  for (const tab of [a, other]) await expect(tab.entry("Bob Brown")).toBeVisible(); // either may hear of a message first
  await a.hasChosen("content");
  await bob.tell(alice, "And bed 14?");
  await a.tells("Bob Brown: And bed 14?");
  await other.page.goto("/healthz");
  await a.page.close();
  await endSessions(alice);
  await other.tells("Bob Brown: And bed 14?");
  await other.page.goto("/");
  await expect(other.page.getByLabel("Username")).toBeVisible();
  await other.tells();
});

/** endSessions ends all sessions of somebody from elsewhere. */
async function endSessions({ client }: Person): Promise<void> {
  const keys = await client.getKeys("me");
  await Promise.all(keys.filter(({ device }) => device).map(({ api_key }) => client.revokeKey("me", api_key)));
}

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
  await expect(heard).toHaveText("New message: Carol Clarke"); // whose conversation the page does not know yet
  expect(await all.jsonValue()).toEqual([
    "", "Bob Brown: Is bed 12 free?", "Bob Brown: Hello?", "Bob Brown: The wrong window", "",
    "New message: Dan Drake", "New message: Carol Clarke",
  ]);
});

test("a screen reader names the sender of the first message too, whom the page does not know yet", async ({ hospital, open }) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const { token } = await alice.client.createGroup({ name: "Ward 3", members: [bob.token] });
  const a = new Messenger(await open(alice, "/", { serviceWorkers: "block" })); // it would make the calls
  const held = await hold(a.page, ({ pathname }) => pathname === `/v2/user/${bob.token}` || pathname.endsWith("/members"));
  await a.open("Ward 3");
  const heard = a.page.getByRole("log");
  await bob.tell({ token }, "Good morning.");
  await expect(a.message("Good morning.")).toBeVisible();
  await expect.poll(() => held.count).toBeGreaterThan(0);
  await expect(heard).toBeEmpty();
  await held.free();
  await expect(heard).toHaveText("Bob Brown: Good morning.");
});
