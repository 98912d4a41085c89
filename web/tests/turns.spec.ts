// Many tabs of one browser, which has six connections to a server: one tab has the event stream, and tells the others.
import type { BrowserContext, Page } from "@playwright/test";
import type { Person } from "./fixtures/hospital.js";
import { Messenger } from "./fixtures/messenger.js";
import { expect, signIn, test } from "./fixtures/test.js";

const two = { alice: "Alice Ames", bob: "Bob Brown" };

/** openTab opens a tab with the conversation with somebody. */
async function openTab(context: BrowserContext, other: Person): Promise<Messenger> {
  const tab = new Messenger(await context.newPage());
  await tab.page.goto(`/c/${other.token}`);
  await tab.shows(other.name);
  return tab;
}

/** openTabs opens so many, one after the other. */
async function openTabs(context: BrowserContext, n: number, other: Person): Promise<Messenger[]> {
  const tabs = [];
  for (let i = 0; i < n; i++) tabs.push(await openTab(context, other));
  return tabs;
}

/** countStreams counts the streams that pages open from now on. */
function countStreams(context: BrowserContext): () => number {
  let count = 0;
  context.on("request", (request) => {
    if (request.url().endsWith("/v2/events")) count++;
  });
  return () => count;
}

/** parted tells the tab that has the stream from the others. */
async function parted(tabs: readonly Messenger[]): Promise<{ old: Messenger; rest: Messenger[] }> {
  const has = await Promise.all(tabs.map(({ page }) => page.evaluate(holds)));
  const [old, ...more] = tabs.filter((_, i) => has[i]);
  if (!old || more.length > 0) throw new Error(`${has.join()}: not one tab has the stream`);
  return { old, rest: tabs.filter((tab) => tab !== old) };
}

/** holds tells whether a tab has the stream. */
async function holds(): Promise<boolean> {
  const own = `which-${Math.random()}`;
  const { held = [] } = await navigator.locks.request(own, () => navigator.locks.query());
  const me = held.find(({ name }) => name === own)?.clientId;
  return held.some(({ name, clientId }) => name?.startsWith("signet-events-") && clientId === me);
}

/** freeze has a tab stand still, as browsers do with those that nobody looks at; or go on. */
async function freeze(page: Page, state: "frozen" | "active"): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Page.setWebLifecycleState", { state });
  await session.detach();
}

test("eight tabs load, send and receive over HTTP/1.1, by one stream", async ({ hospital, desk }) => {
  const { alice, bob } = await hospital(two);
  await bob.tell(alice, "Good morning.");
  const context = await desk();
  await signIn(context, alice.username);
  const streams = countStreams(context);
  const tabs = await openTabs(context, 8, bob);
  const all = ["Good morning."];
  for (const [i, tab] of tabs.entries()) {
    await tab.write(`From tab ${i}`);
    all.push(`From tab ${i}`);
    for (const other of tabs) await expect(other.message(`From tab ${i}`)).toHaveCount(1);
  }
  await bob.tell(alice, "Thanks!");
  for (const tab of tabs) await tab.has(...all, "Thanks!");
  expect(streams()).toBe(1);
  const { results } = await bob.client.getHistory(alice.token);
  expect(results.map(({ body }) => body).reverse()).toEqual([...all, "Thanks!"]);
});

test("what one takes back is gone from one's other tabs", async ({ hospital, desk }) => {
  const { alice, bob } = await hospital(two);
  const context = await desk();
  await signIn(context, alice.username);
  const here = await openTab(context, bob);
  const there = await openTab(context, bob);
  await here.write("The wrong window");
  await expect(there.message("The wrong window")).toHaveCount(1);
  await here.act("The wrong window", "Recall");
  await here.dialog.getByRole("button", { name: "Recall" }).click();
  for (const tab of [here, there]) await expect(tab.message("The wrong window")).toHaveCount(0);
  await expect(there.list.getByText("The wrong window")).toHaveCount(0);
});

/** Ways in which a tab is there no more. */
const leaves: Record<string, (page: Page) => Promise<unknown>> = {
  "is closed": (page) => page.close(),
  "stands still": (page) => freeze(page, "frozen"),
  "goes elsewhere": (page) => page.goto("/healthz"),
};

for (const [how, leave] of Object.entries(leaves)) {
  test(`when the tab that has the stream ${how}, another one takes its turn, and nothing is lost or told twice`, async ({
    hospital, desk,
  }) => {
    const { alice, bob } = await hospital(two);
    await bob.tell(alice, "0");
    const context = await desk();
    await signIn(context, alice.username);
    const tabs = await openTabs(context, 3, bob);
    const { old, rest } = await parted(tabs);
    await bob.tell(alice, "1");
    await leave(old.page);
    await bob.tell(alice, "2");
    for (const tab of rest) await tab.has("0", "1", "2");
    await bob.tell(alice, "3");
    for (const tab of rest) await tab.has("0", "1", "2", "3");
    // What they have is acknowledged.
    const queued = async () => (await alice.client.getEvents()).filter(({ kind }) => kind === "message");
    await expect.poll(queued).toEqual([]);
  });
}

test("a tab that stands still is right when it goes on, and one that is opened later at once", async ({
  hospital, desk, open,
}) => {
  const { alice, bob } = await hospital(two);
  await bob.tell(alice, "0");
  const context = await desk();
  await signIn(context, alice.username);
  const tabs = await openTabs(context, 2, bob);
  const { old: first } = await parted(tabs);
  for (const { page } of tabs) {
    const all = ["0", "1", "2"].slice(0, tabs.findIndex((tab) => tab.page === page) + 2);
    await freeze(page, "frozen");
    await bob.tell(alice, all.at(-1) ?? "");
    for (const tab of tabs.filter((tab) => tab.page !== page)) await tab.has(...all);
    await freeze(page, "active");
    for (const tab of tabs) await tab.has(...all);
  }

  // Who is here, the tab that has the stream has heard.
  await open(bob);
  await expect(first.entry("Bob Brown").getByRole("img", { name: "Online" })).toBeVisible();
  const late = await openTab(context, bob);
  await expect(late.entry("Bob Brown").getByRole("img", { name: "Online" })).toBeVisible();
  await late.has("0", "1", "2");
});

test("a tab that says nothing more, without having been closed, is passed over", async ({ hospital, desk }) => {
  const { alice, bob } = await hospital(two);
  await bob.tell(alice, "0");
  const context = await desk();
  await signIn(context, alice.username);
  const tabs = await openTabs(context, 2, bob);
  const { old: stuck, rest } = await parted(tabs);
  // It stands still without a word, as where a debugger holds it.
  const session = await context.newCDPSession(stuck.page);
  await session.send("Debugger.enable");
  await session.send("Debugger.pause");
  void stuck.page.evaluate(() => undefined).catch(() => undefined);
  await bob.tell(alice, "1");
  for (const tab of rest) await tab.has("0", "1");
  await session.send("Debugger.resume").catch(() => undefined); // it may have stopped nowhere
  await session.send("Debugger.disable");
  await bob.tell(alice, "2");
  for (const tab of tabs) await tab.has("0", "1", "2");
  await expect(stuck.messages).toHaveCount(3);
});

test("signing out in one of many tabs ends all, and the next person's tabs hear of her own only", async ({
  hospital, desk,
}) => {
  const { alice, bob } = await hospital(two);
  await bob.tell(alice, "For Alice");
  const context = await desk();
  await signIn(context, alice.username);
  const tabs = await openTabs(context, 3, bob);
  const [one] = tabs;
  await one?.own("Sign out");
  for (const { page } of tabs) await expect(page.getByLabel("Username")).toBeVisible();
  await signIn(context, bob.username);
  for (const { page } of tabs) await page.goto("/");
  await alice.tell(bob, "For Bob");
  for (const tab of tabs) {
    await expect(tab.entry("Alice Ames")).toContainText("For Bob");
    await expect(tab.entry("Bob Brown")).toHaveCount(0);
    await tab.open("Alice Ames");
    await tab.has("For Alice", "For Bob");
  }
});
