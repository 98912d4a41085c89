// What matters is heard and seen, whatever is on the screen.
import type { BrowserContextOptions, Page } from "@playwright/test";
import { Heard, listen, said, tones } from "./fixtures/heard.js";
import type { Person } from "./fixtures/hospital.js";
import { expect, test } from "./fixtures/test.js";
import { withTime } from "./fixtures/time.js";

const people = { alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clarke", dan: "Dan Drake" };
const desk = { viewport: { width: 1280, height: 800 } };
const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

type Open = (who: Person, path: string, options?: BrowserContextOptions) => Promise<Page>;

/** hearing opens the messenger of somebody, which notes what it makes heard, and has its time go on for the test. */
async function hearing(open: Open, who: Person, device: BrowserContextOptions = desk): Promise<Heard> {
  const page = await open(who, "/healthz", device);
  await page.addInitScript(listen);
  await withTime(page);
  await page.goto("/");
  const messenger = new Heard(page);
  await messenger.isUpToDate();
  return messenger;
}

/** later has so much time pass that what comes is heard anew. */
const later = ({ page }: Heard) => page.evaluate(() => window.goOn(5000));

for (const [name, device] of Object.entries({ desk, phone })) {
  test(`on a ${name}, an urgent message elsewhere stands above all, is said once, and leads to where it is`, async ({
    hospital, open,
  }) => {
    const { alice, bob, carol, dan } = await hospital(people);
    await bob.tell(alice, "Good morning.");
    const ward = await carol.client.createGroup({ name: "Ward 3", members: [alice.token] });
    await carol.tell(ward, "Good morning, all.");
    const a = new Heard(await open(alice, "/", device));
    await a.open("Bob Brown");
    await expect(a.message("Good morning.")).toBeVisible();
    await expect(a.note).toHaveCount(0);
    const told = await said(a.page);

    await carol.tell(ward, { body: "Bed 4: call me NOW", priority: 1 });
    await expect(a.note).toHaveAccessibleName("Urgent: Carol Clarke · Ward 3 Bed 4: call me NOW");
    await a.field.click({ trial: true });
    await expect(a.page.getByRole("alert")).toHaveText("Urgent message from Carol Clarke in Ward 3: Bed 4: call me NOW");
    await dan.tell(alice, { body: "PIN 2468", priority: 1, dor: true });
    await expect(a.note).toHaveAccessibleName("Urgent: Dan Drake Hidden message (deleted after reading) 2 urgent messages");
    await expect(a.page.getByText("2468")).toHaveCount(0);

    await a.note.click();
    await a.shows("Dan Drake");
    await a.page.getByRole("button", { name: "Open message" }).click();
    await expect(a.message("PIN 2468")).toBeVisible();
    await expect(a.note).toHaveAccessibleName("Urgent: Carol Clarke · Ward 3 Bed 4: call me NOW");
    await a.note.click();
    await a.shows("Ward 3");
    await expect(a.message("Bed 4: call me NOW")).toBeInViewport();
    await expect(a.note).toHaveCount(0);
    expect(await told()).toEqual([
      "Urgent message from Carol Clarke in Ward 3: Bed 4: call me NOW",
      "Urgent message from Dan Drake: Hidden message (deleted after reading)",
    ]);
  });

  test(`on a ${name}, the note opens a long conversation at its message`, async ({ hospital, open }) => {
    const { alice, bob, carol } = await hospital(people);
    await carol.tell(alice, "Good morning.");
    for (let i = 0; i < 30; i++) await bob.tell(alice, `Line ${i}.`);
    await bob.tell(alice, { body: "Bed 4: call me NOW", priority: 1 });
    for (let i = 30; i < 60; i++) await bob.tell(alice, `Line ${i}.`);
    const a = new Heard(await open(alice, "/", device));
    await expect(a.note).toHaveAccessibleName("Urgent: Bob Brown Bed 4: call me NOW"); // it came before the page
    await a.note.click();
    await a.shows("Bob Brown");
    await expect(a.message("Bed 4: call me NOW")).toBeInViewport();
    await expect(a.message("Line 59.")).not.toBeInViewport();
    await expect(a.message("Bed 4: call me NOW")).toBeFocused();
  });

  test(`on a ${name}, the note goes when its message is read elsewhere, recalled, or over`, async ({ hospital, open }) => {
    const { alice, bob, carol, dan } = await hospital(people);
    await carol.tell(alice, "Good morning.");
    const a = await hearing(open, alice, device);
    await a.open("Carol Clarke");
    await bob.tell(alice, { body: "Bed 4", priority: 1 });
    await expect(a.note).toContainText("Bed 4");
    await alice.read(bob);
    await a.comeBack();
    await expect(a.note).toHaveCount(0);

    const wrong = await dan.tell(alice, { body: "Bed 5", priority: 1 });
    await expect(a.note).toContainText("Bed 5");
    await dan.client.recallMessage(wrong);
    await expect(a.note).toHaveCount(0);

    await dan.tell(alice, { body: "Bed 6", priority: 1, ttl: 1 });
    await dan.tell(alice, "Good morning.");
    await expect(a.note).toContainText("Bed 6");
    await a.page.evaluate(() => window.goOn(70_000));
    await expect(a.note).toHaveCount(0);
  });

  test(`on a ${name}, the note stands in dialogs too, is reached by keys, and closes them without losing a word`, async ({
    hospital, open,
  }) => {
    const { alice, bob } = await hospital(people);
    await bob.tell(alice, "Good morning.");
    const a = new Heard(await open(alice, "/", device));
    await expect(a.entry("Bob Brown")).toBeVisible();
    const told = await said(a.page);
    const note = a.dialog.getByRole("button", { name: /^Urgent:/ });
    await a.list.getByRole("button", { name: "New group" }).click();
    await expect(a.dialog).toBeVisible(); // what comes before it is read out on the page
    await bob.tell(alice, { body: "Bed 4: call me NOW", priority: 1 });
    await expect(note).toHaveAccessibleName("Urgent: Bob Brown Bed 4: call me NOW");
    await a.dialog.getByLabel("Name").click({ trial: true });
    await expect(a.dialog.getByRole("alert")).toHaveText("Urgent message from Bob Brown: Bed 4: call me NOW");
    await a.dialog.getByLabel("Name").fill("Ward 3");
    await note.click();
    await expect(a.dialog.getByRole("status").filter({ hasText: "would be lost" })).toBeVisible();
    await expect(a.dialog.getByLabel("Name")).toHaveValue("Ward 3");
    await a.leave();

    await a.page.getByRole("heading", { name: "Alice Ames" }).click();
    await a.page.keyboard.press("?");
    await expect(a.dialog.getByRole("button", { name: "Close" })).toBeFocused();
    await a.page.keyboard.press("Tab");
    await expect(note).toBeFocused();
    await a.page.keyboard.press("Enter");
    await a.shows("Bob Brown");
    await expect(a.dialog).toHaveCount(0);
    await expect(a.message("Bed 4: call me NOW")).toBeInViewport();
    await expect(a.note).toHaveCount(0);
    expect(await told()).toEqual(["Urgent message from Bob Brown: Bed 4: call me NOW"]);
  });

  test(`on a ${name}, the note is the first that Tab reaches`, async ({ hospital, open }) => {
    const { alice, bob } = await hospital(people);
    await bob.tell(alice, { body: "Bed 4: call me NOW", priority: 1 });
    const a = new Heard(await open(alice, "/", device));
    await expect(a.note).toBeVisible();
    await a.page.keyboard.press("Tab");
    await expect(a.note).toBeFocused();
    await a.page.keyboard.press("Enter");
    await a.shows("Bob Brown");
    await expect(a.note).toHaveCount(0);
  });

  test(`on a ${name}, urgent messages sound as one chose, others where one wants it, and what is seen does not`, async ({
    hospital, open,
  }) => {
    const { alice, bob, carol } = await hospital(people);
    for (const from of [bob, carol]) await from.tell(alice, "Good morning.");
    const a = await hearing(open, alice, device);
    await a.mayBeHeard();
    await bob.tell(alice, "Is bed 12 free?");
    await expect(a.entry("Bob Brown")).toContainText("Is bed 12 free?");
    await bob.tell(alice, { body: "Bed 4", priority: 1 });
    await a.sounded(tones.chime); // as long as nobody has chosen
    await a.choose("Sound of urgent messages", "Alarm");
    await later(a);
    await bob.tell(alice, { body: "Bed 5", priority: 1 });
    await a.sounded(tones.chime, tones.alarm);
    await a.choose("Sound of other messages", "Knock");
    await carol.tell(alice, "Hello?");
    await a.sounded(tones.chime, tones.alarm, 2);
    await later(a);
    await a.open("Carol Clarke");
    await carol.tell(alice, "Are you there?");
    await expect(a.message("Are you there?")).toBeVisible();
    await carol.tell(alice, { body: "Call me", priority: 1 });
    await a.sounded(tones.chime, tones.alarm, 2, tones.alarm);
  });

  test(`on a ${name}, of each conversation one hears all, what is urgent, or nothing`, async ({ hospital, open }) => {
    const { alice, bob, carol } = await hospital(people);
    for (const from of [bob, carol]) await from.tell(alice, "Good morning.");
    const a = await hearing(open, alice, device);
    await a.mayBeHeard();
    await a.choose("Sound of other messages", "Knock");
    const muted = async () => {
      const { results } = await alice.client.getConversations();
      return results.filter((one) => one.muted).map(({ entity }) => entity.display_name);
    };
    const hearOf = async (level: string) => {
      await a.page.goto(`/c/${bob.token}/details`);
      await a.details.getByLabel("Notify me of").selectOption(level);
      await expect.poll(muted).toEqual(level === "Every message" ? [] : ["Bob Brown"]);
      await a.page.goto("/");
      await a.isUpToDate();
      await a.mayBeHeard();
    };
    await hearOf("Urgent messages only");
    await expect(a.entry("Bob Brown").getByRole("img", { name: "Muted", exact: true })).toBeVisible();
    await bob.tell(alice, "Is bed 12 free?");
    await expect(a.entry("Bob Brown")).toContainText("Is bed 12 free?");
    await bob.tell(alice, { body: "Bed 4", priority: 1 });
    await a.sounded(tones.chime);
    await expect(a.note).toContainText("Bed 4");

    await hearOf("Nothing, not even urgent messages");
    await expect(a.entry("Bob Brown").getByRole("img", { name: "Muted, urgent messages too" })).toBeVisible();
    await bob.tell(alice, { body: "Bed 5", priority: 1 });
    await expect(a.entry("Bob Brown")).toContainText("Bed 5");
    await expect(a.entry("Bob Brown").getByRole("img", { name: "Urgent", exact: true })).toBeVisible();
    await expect(a.note).toHaveCount(0);
    await later(a); // else a sound that there should not be would have been the only one
    await carol.tell(alice, { body: "Bed 6", priority: 1 });
    await a.sounded(tones.chime);
    await expect(a.note).toHaveAccessibleName("Urgent: Carol Clarke Bed 6");

    await hearOf("Every message");
    await bob.tell(alice, "And bed 13?");
    await a.sounded(2);
  });

  test(`on a ${name}, nothing sounds in quiet hours but what is urgent, if one wants it`, async ({ hospital, open }) => {
    const { alice, bob } = await hospital(people);
    await bob.tell(alice, "Good morning.");
    const a = await hearing(open, alice, device);
    await a.mayBeHeard();
    await a.choose("Sound of other messages", "Knock");
    await a.own("Settings");
    await a.dialog.getByRole("checkbox", { name: "Quiet hours" }).check();
    for (const label of ["From", "To"]) await a.dialog.getByLabel(label, { exact: true }).fill("07:30"); // all day
    await a.leave();
    await bob.tell(alice, "Is bed 12 free?");
    await expect(a.entry("Bob Brown")).toContainText("Is bed 12 free?");
    await bob.tell(alice, { body: "Bed 4", priority: 1 });
    await a.sounded(tones.chime);
    await a.check("Urgent messages come through", false);
    await later(a);
    await bob.tell(alice, { body: "Bed 5", priority: 1 });
    await expect(a.note).toContainText("Bed 5");
    await a.check("Quiet hours", false);
    await later(a);
    await bob.tell(alice, "And bed 13?");
    await a.sounded(tones.chime, 2);
  });
}

test("at the way back to the list stands how much is unread there, in another colour where it is urgent", async ({
  hospital, open,
}) => {
  const { alice, bob, carol, dan } = await hospital(people);
  await bob.tell(alice, "Good morning.");
  const a = new Heard(await open(alice, "/", phone));
  await a.open("Bob Brown");
  const back = a.page.getByRole("button", { name: /^Back/ });
  await expect(back).toHaveAccessibleName("Back");
  await dan.tell(alice, "Is bed 12 free?");
  await expect(back).toHaveAccessibleName("Back: 1 unread message elsewhere");
  const colour = (n: string) => back.getByText(n, { exact: true }).evaluate((el) => getComputedStyle(el).backgroundColor);
  const usual = await colour("1");
  await carol.tell(alice, { body: "Bed 4", priority: 1 });
  await expect(back).toHaveAccessibleName("Back: 2 unread messages elsewhere, some of them urgent");
  const icon = a.note.evaluate((el) => getComputedStyle(el.parentElement ?? el).backgroundColor);
  expect(await colour("2")).toBe(await icon);
  expect(await colour("2")).not.toBe(usual);
});

test("what is urgent is told too while the details are in the place of its conversation", async ({ hospital, open }) => {
  const { alice, bob } = await hospital(people);
  await bob.tell(alice, "Good morning.");
  const a = new Heard(await open(alice, "/", phone));
  await a.open("Bob Brown");
  await a.page.getByRole("main").getByRole("button", { name: "Details" }).click();
  await expect(a.details).toBeVisible();
  await bob.tell(alice, { body: "Bed 4: call me NOW", priority: 1 });
  await a.note.click();
  await expect(a.details).toHaveCount(0);
  await expect(a.message("Bed 4: call me NOW")).toBeInViewport();
  await expect(a.note).toHaveCount(0);
});

test("what comes behind a dialog is unread until that is closed, and told where it is urgent", async ({ hospital, open }) => {
  const { alice, bob } = await hospital(people);
  await bob.tell(alice, "Good morning.");
  const a = new Heard(await open(alice));
  await a.open("Bob Brown");
  await a.has("Good morning.");
  const unread = async () => (await alice.client.getUnreadCount("me")).unread_count;
  await expect.poll(unread).toBe(0);
  await a.own("Settings");
  await bob.tell(alice, { body: "Room 4", priority: 1 });
  const note = a.dialog.getByRole("button", { name: /^Urgent: Bob Brown Room 4/ });
  await expect(note).toBeVisible();
  await expect(a.dialog.getByRole("alert")).toHaveText("Urgent message from Bob Brown: Room 4");
  await expect(a.message("Room 4")).toBeVisible(); // behind it
  await expect(a.entry("Bob Brown").getByRole("img", { name: "1 unread" })).toBeVisible();
  expect(await unread()).toBe(1);
  await a.page.keyboard.press("Escape");
  await expect(a.note).toHaveCount(0);
  await expect.poll(unread).toBe(0);
});

test("what is unread counts, and what is urgent is told, however far down the list it is", async ({ hospital, open }) => {
  const { alice, bob, carol } = await hospital(people);
  await carol.tell(alice, "Good morning.");
  await bob.tell(alice, { body: "Bed 4: call me NOW", priority: 1 });
  for (let i = 0; i < 101; i++) {
    await bob.tell(await bob.client.createGroup({ name: `Ward ${i}`, members: [alice.token] }), `Line ${i}.`);
  }
  const a = new Heard(await open(alice, "/", desk));
  await expect(a.note).toHaveAccessibleName("Urgent: Bob Brown Bed 4: call me NOW");
  await expect(a.page).toHaveTitle("(103) Signet");
  await a.note.click();
  await a.shows("Bob Brown");
  await expect(a.page).toHaveTitle("(102) Signet");
  await a.page.reload(); // nothing is urgent: the list does not go down to Carol
  await expect(a.page).toHaveTitle("(102) Signet");
  await alice.read(carol);
  await a.comeBack();
  await expect(a.page).toHaveTitle("(101) Signet");
});

test("a conversation that is far down the list opens at what is unread in it, and says how much that is", async ({
  hospital, open,
}) => {
  const { alice, bob, carol } = await hospital(people);
  for (let i = 0; i < 130; i++) await carol.tell(alice, `Line ${i}.`);
  for (let i = 0; i < 101; i++) {
    await bob.tell(await bob.client.createGroup({ name: `Ward ${i}`, members: [alice.token] }), "Good morning.");
  }
  const a = new Heard(await open(alice, "/", desk));
  await expect(a.page).toHaveTitle("(231) Signet");
  await a.search.fill("carol");
  await a.list.getByRole("button", { name: /Carol Clarke/ }).click();
  await a.shows("Carol Clarke");
  await expect(a.page.getByText("130 new messages", { exact: true })).toBeVisible();
  await expect(a.message("Line 0.")).toBeInViewport();
  const unread = async () => (await alice.client.getUnreadCount("me")).unread_count;
  await expect.poll(unread).toBeLessThan(231); // what is seen
  await expect.poll(async () => (await a.page.title()) === `(${await unread()}) Signet`).toBe(true);
});

test("of several tabs one sounds, and another one when that is closed", async ({ hospital, open }) => {
  const { alice, bob } = await hospital(people);
  await bob.tell(alice, "Good morning.");
  const one = await hearing(open, alice);
  const context = one.page.context();
  const page = await context.newPage();
  await page.addInitScript(listen);
  await withTime(page);
  await page.goto("/");
  const two = new Heard(page);
  await two.isUpToDate();
  await one.page.bringToFront();
  await one.mayBeHeard();
  await two.page.bringToFront();
  await two.mayBeHeard(1);
  await two.choose("Sound of other messages", "Alarm");

  await bob.tell(alice, { body: "Bed 4", priority: 1 });
  for (const tab of [one, two]) await expect(tab.note).toContainText("Bed 4");
  for (const tab of [one, two]) {
    await tab.page.bringToFront();
    await tab.tries("Sound of other messages"); // whatever it played before has begun by then
    await expect.poll(async () => (await tab.sounds()).at(-1)).toBe(tones.alarm);
  }
  const all = [...(await one.sounds()), ...(await two.sounds())];
  expect(all.toSorted()).toEqual([tones.chime, tones.alarm, tones.alarm]);

  await two.page.close();
  await one.mayBeHeard();
  await later(one);
  const before = await one.sounds();
  await bob.tell(alice, { body: "Bed 5", priority: 1 });
  await one.sounded(...before, tones.chime);
});

test("whoever does not want to be disturbed hears nothing, and sees what is urgent", async ({ hospital, open }) => {
  const { alice, bob } = await hospital(people);
  await bob.tell(alice, "Good morning.");
  await alice.client.updateUserSettings("me", { dnd: true });
  const a = await hearing(open, alice);
  await a.mayBeHeard();
  const told = await said(a.page);
  await bob.tell(alice, { body: "Bed 4", priority: 1 });
  await expect(a.note).toContainText("Bed 4");
  await a.choose("Sound of urgent messages", "Alarm");
  await a.tries("Sound of urgent messages");
  await a.sounded(tones.alarm);
  expect(await told()).toEqual([]);
});

test("a browser that lets no page sound is said to, and nothing else comes of it", async ({ hospital, open }) => {
  const { alice, bob } = await hospital(people);
  const page = await open(alice, "/healthz");
  await page.addInitScript(listen);
  await page.addInitScript(() => {
    AudioContext.prototype.resume = () => new Promise(() => undefined);
  });
  await page.goto("/");
  const a = new Heard(page);
  await a.own("Settings");
  await a.dialog.getByRole("button", { name: "Try: Sound of urgent messages" }).click();
  await expect(a.dialog.getByRole("status").filter({ hasText: "Your browser blocks sounds from Signet." })).toBeVisible();
  await a.leave();
  await bob.tell(alice, { body: "Bed 4", priority: 1 });
  await expect(a.note).toContainText("Bed 4");
  expect(await a.sounds()).toEqual([]);
});

test("a device that can tremble does for what is urgent, as long as one wants it", async ({ hospital, open }) => {
  const { alice, bob } = await hospital(people);
  const a = await hearing(open, alice, phone);
  await a.mayBeHeard();
  await a.list.getByRole("searchbox").tap(); // devices tremble for a page only after a touch
  await bob.tell(alice, { body: "Bed 4", priority: 1 });
  await a.sounded(tones.chime);
  const trembled = () => a.page.evaluate(() => window.trembled);
  expect(await trembled()).toEqual([[300, 120, 300, 120, 300]]);
  await a.check("Vibrate", false);
  await later(a);
  await bob.tell(alice, { body: "Bed 5", priority: 1 });
  await a.sounded(tones.chime, tones.chime);
  expect(await trembled()).toHaveLength(1);
});
