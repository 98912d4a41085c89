// Messengers that lose their connection, or miss what other tabs and devices do.
import type { Locator, Page } from "@playwright/test";
import { hold } from "./fixtures/held.js";
import { Messenger } from "./fixtures/messenger.js";
import { picture } from "./fixtures/picture.js";
import { expect, test } from "./fixtures/test.js";
import { withTime } from "./fixtures/time.js";

const three = { alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clarke" };
const two = { alice: "Alice Ames", bob: "Bob Brown" };

/** badges are the numbers of what is unread in each conversation. */
function badges(m: Messenger): Locator {
  return m.list.getByRole("img", { name: /^\d+ unread messages?$/ });
}

test("a message for which the server is too busy waits and goes by itself; one beyond the day's allowance is refused", async ({
  hospital, open,
}) => {
  const { alice, bob } = await hospital(two);
  await bob.tell(alice, "Is bed 12 free?");
  const a = new Messenger(await open(alice, "/", { serviceWorkers: "block" }));
  await a.open("Bob Brown");
  const refuse = (code: string, message: string) =>
    a.page.route(/\/v2\/message\?/, (route) => route.fulfill({
      status: 429, headers: { "Retry-After": "3600" }, json: { status: "fail", error: { status: 429, code, message } },
    }), { times: 1 });

  await refuse("rate_limit", "Too many requests.");
  await a.write("Yes, from noon.");
  await a.has("Is bed 12 free?", "Yes, from noon.");
  await expect(a.messages.getByRole("img", { name: "Sent", exact: true })).toHaveCount(1);
  await expect(a.messages.getByRole("alert")).toHaveCount(0);

  await refuse("daily_limit", "The messages of this day are used up.");
  await a.write("Shall I keep it?");
  await expect(a.message("Shall I keep it?").getByRole("alert")).toContainText("Not sent");
});

test("what the server refuses is told where its conversation is not open, and stays in the list until it is given up", async ({
  hospital, open,
}) => {
  const { alice, bob, carol } = await hospital(three);
  await bob.tell(alice, "Is bed 12 free?");
  const a = new Messenger(await open(alice, `/c/${carol.token}`, { serviceWorkers: "block" })); // with whom she never spoke
  let refuse = () => {};
  const left = new Promise<void>((resolve) => (refuse = resolve));
  await a.page.route(/\/v2\/message\?/, async (route) => {
    await left;
    const error = { status: 429, code: "daily_limit", message: "The messages of this day are used up." };
    await route.fulfill({ status: 429, json: { status: "fail", error } });
  });
  await a.write("Call me, please.");
  await expect(a.entry("Carol Clarke").getByRole("img", { name: "Sending…" })).toBeVisible();
  await a.open("Bob Brown");
  refuse();
  await expect(a.page.getByRole("status").getByText(/^Not sent to Carol Clarke: /)).toBeVisible();
  await expect(a.entry("Carol Clarke")).toContainText("Not sent Call me, please.");
  await expect(a.list.getByRole("img", { name: "Sending…" })).toHaveCount(0);

  await a.comeBack();
  await a.isUpToDate();
  await expect(a.entry("Carol Clarke")).toContainText("Not sent Call me, please.");
  await a.page.reload(); // the page has not heard of her
  await a.open("Carol Clarke");
  await a.message("Call me, please.").getByRole("button", { name: "Discard" }).click();
  await a.open("Bob Brown");
  await a.comeBack();
  await expect(a.entry("Carol Clarke")).toHaveCount(0);
});

test.describe("with a server of its own, whose line is cut", () => {
  test.use({ serve: ["--limits.messages-per-day=0"] });

  test("what is unsent waits for the network, and goes in order and once; what was missed is there", async ({
    server, hospital, open,
  }) => {
    const { alice, bob, carol } = await hospital(three);
    await bob.tell(alice, "Is bed 12 free?");
    const a = new Messenger(await open(alice));
    await a.open("Bob Brown");
    await a.has("Is bed 12 free?");

    await server.cut();
    const banner = a.page.getByText("You’re offline. You can keep writing: messages are sent when you’re back online.", { exact: true });
    await expect(banner).toBeVisible();
    const lines = ["Line 0", "Line 1", "Line 2", "Line 3", "Line 4"];
    for (const line of lines) await a.write(line);
    await a.has("Is bed 12 free?", ...lines);
    await expect(a.messages.getByRole("img", { name: "Sending…", exact: true })).toHaveCount(5);
    await expect(a.entry("Bob Brown")).toContainText("You: Line 4");
    await expect(a.entry("Bob Brown").getByRole("img", { name: "Sending…", exact: true })).toBeVisible();
    await a.search.fill("carol");
    await expect(a.list.getByRole("alert")).toHaveText("Can’t reach the server. Check your connection and try again.");
    await picture(a.page, "offline");
    await a.search.clear();
    await bob.tell(alice, "Hello?");
    await carol.tell(alice, "Good morning.");

    await server.mend();
    await expect(banner).toHaveCount(0);
    await expect(a.messages.getByRole("img", { name: "Sent", exact: true })).toHaveCount(5);
    const all = ["Is bed 12 free?", "Hello?", ...lines];
    await a.has(...all);
    await expect(badges(a)).toHaveText(["1"]);
    await expect(a.entry("Carol Clarke").getByRole("img", { name: "1 unread" })).toBeVisible();
    await expect(a.list.getByRole("img", { name: "Sending…", exact: true })).toHaveCount(0);
    const { results } = await bob.client.getHistory(alice.token);
    expect(results.map(({ body }) => body).reverse()).toEqual(all);
  });

  test("what has waited for a day is not sent again by itself: the server may have it, and knows its number no more", async ({
    server, hospital, open,
  }) => {
    const { alice, bob } = await hospital(two);
    await bob.tell(alice, "Is bed 12 free?");
    const a = new Messenger(await open(alice, "/healthz"));
    await withTime(a.page);
    await a.page.goto("/");
    await a.open("Bob Brown");
    await server.cut();
    await expect(a.page.getByText(/^You’re offline\./)).toBeVisible();
    let failed = 0;
    a.page.on("requestfailed", (request) => void (/\/v2\/message\?/.test(request.url()) && failed++));
    await a.write("From noon.");
    await expect(a.message("From noon.").getByRole("img", { name: "Sending…" })).toBeVisible();
    await expect.poll(() => failed).toBeGreaterThanOrEqual(4); // the client has given it up, and the page will try again
    await a.page.evaluate(() => window.setClock(24 * 3_600_000)); // as after a sleep
    await server.mend();
    const alert = a.message("From noon.").getByRole("alert");
    await expect(alert).toHaveText("It isn’t certain whether this was sent. Sent again, it may arrive twice.");
    await expect(a.entry("Bob Brown")).toContainText("Not confirmed From noon.");
    const said = async () => (await bob.client.getHistory(alice.token)).results.map(({ body }) => body);
    expect(await said()).toEqual(["Is bed 12 free?"]);
    await a.message("From noon.").getByRole("button", { name: "Try again" }).click();
    await a.hasStatus("From noon.", "Sent");
    expect(await said()).toEqual(["From noon.", "Is bed 12 free?"]);
  });

  test("what was read without a connection is not unread in the list that comes when there is one", async ({
    server, hospital, open,
  }) => {
    const { alice, bob, carol } = await hospital(three);
    for (const person of [bob, carol]) await person.tell(alice, "Good morning.");
    const a = new Messenger(await open(alice, "/", { serviceWorkers: "block" }));
    await a.open("Bob Brown");
    await a.open("Carol Clarke");
    await expect(badges(a)).toHaveCount(0);
    await look(a.page, false);
    await carol.tell(alice, "Hello?");
    await expect(badges(a)).toHaveText(["1"]);
    await server.cut();
    await expect(a.page.getByText(/^You’re offline\./)).toBeVisible();
    await look(a.page, true);
    await expect(badges(a)).toHaveCount(0);
    await a.entry("Bob Brown").click();
    await a.shows("Bob Brown");

    const held = await hold(a.page, ({ pathname }) => pathname.endsWith("/conversation"));
    await server.mend();
    await expect.poll(() => held.count).toBe(1);
    held.end();
    await held.release();
    await a.isUpToDate();
    await expect(badges(a)).toHaveCount(0);
    await expect(a.page).toHaveTitle("Signet");
    const all = async () => (await alice.client.getConversations()).results.map(({ unread_count }) => unread_count);
    await expect.poll(all).toEqual([0, 0]);
  });

  test("what could not be loaded when it was opened is there once there is a connection again", async ({
    server, hospital, open,
  }) => {
    const { alice, bob } = await hospital(three);
    await bob.tell(alice, "Good morning.");
    const a = new Messenger(await open(alice));
    await a.page.route("**/conversation/*/message?*", (route) => route.abort());
    await a.entry("Bob Brown").click();
    await expect(a.page.getByRole("main").getByRole("alert")).toContainText("Can’t reach the server.");
    await a.page.unroute("**/conversation/*/message?*");
    await server.cut();
    await expect(a.page.getByText(/^You’re offline\./)).toBeVisible();
    await server.mend();
    await expect(a.message("Good morning.")).toBeInViewport();
    await expect(badges(a)).toHaveCount(0);
  });

  test("what another device has taken from the queue is loaded from its beginning, and read when it is seen", async ({
    server, hospital, open,
  }) => {
    const { alice, bob, carol } = await hospital(three);
    for (const person of [bob, carol]) await person.tell(alice, "Good morning.");
    const a = new Messenger(await open(alice));
    await a.open("Bob Brown");
    await a.open("Carol Clarke");
    await server.cut();
    await expect(a.page.getByText(/^You’re offline\./)).toBeVisible();
    for (let i = 0; i < 250; i++) await bob.tell(alice, `Line ${i}.`);
    await alice.client.deleteEvents();
    await server.mend();
    await expect(badges(a)).toHaveText(["250"]);
    await bob.tell(alice, "The last."); // of which an event tells
    await expect(badges(a)).toHaveText(["251"]);
    await a.open("Bob Brown");
    await expect(a.items.filter({ hasText: /^251 new messages$/ })).toBeVisible();
    await expect(a.message("Line 0.")).toBeInViewport();
    await a.page.getByRole("button", { name: "Go to latest message" }).click();
    await expect(a.message("The last.")).toBeInViewport();
    const left = async () => {
      const { results } = await alice.client.getConversations();
      return results.find(({ entity }) => entity.token === bob.token)?.unread_count ?? 0;
    };
    await expect.poll(left).toBeLessThan(250); // what was seen
    expect(await left()).toBeGreaterThan(200);
  });

  test("what was missed is there, although what one wrote goes out before events come again", async ({
    server, hospital, open,
  }) => {
    const { alice, bob } = await hospital(two);
    await bob.tell(alice, "Good morning.");
    const a = new Messenger(await open(alice, `/c/${bob.token}`, { serviceWorkers: "block" }));
    await a.has("Good morning.");
    await a.isUpToDate();
    await a.page.route(/\/v2\/events$/, (route) => route.abort());
    await server.cut();
    await expect(a.page.getByText(/^You’re offline\./)).toBeVisible();
    await look(a.page, false);
    for (let i = 0; i < 260; i++) await bob.tell(alice, `Line ${i}.`);
    await alice.client.deleteEvents(); // as another device does that has taken them
    await server.mend();
    await a.write("Yes.");
    await a.hasStatus("Yes.", "Sent");
    await a.page.unrouteAll();
    await a.page.evaluate(() => dispatchEvent(new Event("online")));
    await expect(a.page.getByText(/^You’re offline\./)).toHaveCount(0);
    await a.isUpToDate();
    await expect(badges(a)).toHaveText(["260"]);
    await a.page.getByRole("button", { name: "To the first unread message" }).click();
    await expect(a.message("Line 0.")).toBeInViewport();
  });

  test("after a sleep, in which all connections died without a word, the page is soon right", async ({
    server, hospital, open,
  }) => {
    const { alice, bob } = await hospital(two);
    await bob.tell(alice, "Good morning.");
    const a = new Messenger(await open(alice, "/healthz"));
    await withTime(a.page);
    await a.page.goto("/");
    await a.open("Bob Brown");
    await a.has("Good morning.");
    await server.kill();
    await bob.tell(alice, "Is bed 12 free?");
    await a.write("I am away.");
    await a.hasStatus("I am away.", "Sending…");
    await a.page.evaluate(() => window.setClock(3_600_000)); // which goes on in a sleep, unlike the page's own
    // A request into a dead connection would end after 30 seconds, and a stream after 15.
    await expect(a.message("Is bed 12 free?")).toBeVisible({ timeout: 10_000 });
    await expect(a.message("I am away.").getByRole("img", { name: /^(Sent|Delivered)$/ })).toBeVisible({ timeout: 10_000 });
    await bob.tell(alice, "Hello?");
    await expect(a.message("Hello?")).toBeVisible({ timeout: 10_000 });
  });
});

/** look has somebody look at a tab, or away from it: Playwright's are all seen at once. */
async function look(tab: Page, at: boolean): Promise<void> {
  await tab.evaluate((seen) => {
    Object.defineProperty(document, "visibilityState", { configurable: true, value: seen ? "visible" : "hidden" });
    document.dispatchEvent(new Event("visibilitychange"));
  }, at);
}

test("what one tab has read is read in the other, also where it was never opened", async ({ hospital, open }) => {
  const { alice, bob, carol } = await hospital(three);
  const one = new Messenger(await open(alice));
  const other = new Messenger(await one.page.context().newPage());
  await other.page.goto("/");
  const both = [one, other];
  for (const tab of both) await expect(tab.list).toContainText("No conversations yet.");
  const toFront = async (tab: Messenger) => {
    for (const { page } of both) await look(page, page === tab.page);
  };
  await toFront(other);
  for (const person of [bob, carol]) await person.tell(alice, "Good morning.");
  for (const tab of both) {
    await expect(badges(tab)).toHaveText(["1", "1"]);
    await expect(tab.page).toHaveTitle("(2) Signet");
  }
  await toFront(one);
  await one.open("Carol Clarke");
  for (const tab of both) {
    await expect(badges(tab)).toHaveText(["1"]);
    await expect(tab.entry("Bob Brown").getByRole("img", { name: "1 unread" })).toBeVisible();
    await expect(tab.page).toHaveTitle("(1) Signet");
  }
  await toFront(other);
  await other.open("Carol Clarke");
  await other.has("Good morning.");
  await carol.tell(alice, "Hello?");
  for (const tab of both) {
    await tab.has("Good morning.", "Hello?");
    await expect(tab.page).toHaveTitle("(1) Signet");
  }
  await other.open("Bob Brown");
  for (const tab of both) {
    await expect(badges(tab)).toHaveCount(0);
    await expect(tab.page).toHaveTitle("Signet");
  }
});

test("what a tab has not sent goes when it is loaded anew, also where another tab has the stream", async ({ hospital, open }) => {
  const { alice, bob } = await hospital(two);
  const holder = new Messenger(await open(alice, "/", { serviceWorkers: "block" }));
  await expect(holder.list).toContainText("No conversations yet.");
  const page = await holder.page.context().newPage();
  await page.goto(`/c/${bob.token}`);
  const other = new Messenger(page);
  await page.route(/\/v2\/message\?/, (route) => route.abort());
  await other.write("From noon.");
  await other.hasStatus("From noon.", "Sending…");
  await page.goto("/healthz");
  await page.unrouteAll();
  await page.goto(`/c/${bob.token}`);
  await other.hasStatus("From noon.", "Sent");
  const { results } = await bob.client.getHistory(alice.token);
  expect(results.map(({ body }) => body)).toEqual(["From noon."]);
});

test("what is read on another device is found, although no event tells of it: soon, and when one comes back", async ({
  hospital, open,
}) => {
  const { alice, bob } = await hospital(two);
  const a = new Messenger(await open(alice));
  await bob.tell(alice, "Good morning.");
  await expect(badges(a)).toHaveText(["1"]);
  await alice.read(bob);
  await expect(badges(a)).toHaveCount(0); // without anything that happens at this device
  await expect(a.page).toHaveTitle("Signet");

  await look(a.page, false);
  await a.open("Bob Brown");
  await bob.tell(alice, "Hello?");
  await expect(badges(a)).toHaveText(["1"]);
  await alice.read(bob);
  await a.comeBack();
  await expect(a.entry("Bob Brown")).toBeVisible();
  await expect(badges(a)).toHaveCount(0);
});

test("a late answer takes nothing back: what came meanwhile stays, and so does how far it got", async ({
  hospital, open,
}) => {
  const { alice, bob } = await hospital(two);
  await bob.tell(alice, "Good morning.");
  const a = new Messenger(await open(alice, "/", { serviceWorkers: "block" }));
  await a.open("Bob Brown");
  await a.has("Good morning.");
  const held = await hold(a.page, ({ pathname, search }) => pathname.endsWith("/message") && search === "?limit=200");
  await a.comeBack();
  await expect.poll(() => held.count).toBe(1);
  await bob.tell(alice, "Hello?");
  await a.has("Good morning.", "Hello?");
  await a.write("Yes.");
  await expect(a.message("Yes.").getByRole("img", { name: /^(Sent|Delivered)$/ })).toBeVisible();
  await bob.read(alice);
  await a.hasStatus("Yes.", "Read");

  const seen = await a.page.getByRole("region", { name: "Messages" }).evaluateHandle((box) => {
    const read = () => box.querySelector("[role=img][aria-label=Read]") !== null;
    const all = () => box.querySelectorAll("li time").length === 3 && read();
    const noted = { lost: !all() };
    const observer = new MutationObserver(() => (noted.lost ||= !all()));
    observer.observe(box, { childList: true, subtree: true, attributes: true, characterData: true });
    return noted;
  });
  await held.release();
  await a.comeBack();
  await expect.poll(() => held.count).toBe(2); // asked for after the first answer was taken in
  await a.has("Good morning.", "Hello?", "Yes.");
  await a.hasStatus("Yes.", "Read");
  expect(await seen.evaluate(({ lost }) => lost)).toBe(false);
});

test("what is seen while the list is asked for is not unread in it afterwards", async ({ hospital, open }) => {
  const { alice, bob } = await hospital(two);
  await bob.tell(alice, "Good morning.");
  const a = new Messenger(await open(alice, "/", { serviceWorkers: "block" }));
  await a.open("Bob Brown");
  await a.has("Good morning.");
  await expect(badges(a)).toHaveCount(0);
  const held = await hold(a.page, ({ pathname }) => pathname.endsWith("/conversation"));
  await a.comeBack();
  await expect.poll(() => held.count).toBe(1);
  await bob.tell(alice, "Hello?");
  await a.has("Good morning.", "Hello?");
  const last = a.page.waitForResponse((response) => response.url().endsWith("/message?limit=200"));
  await held.release();
  await last; // that it asks for on coming back
  await expect(badges(a)).toHaveCount(0);
  await expect(a.page).toHaveTitle("Signet");
});

test("what was seen while an own message was on its way is not unread when that has arrived", async ({
  hospital, open,
}) => {
  const { alice, bob } = await hospital(two);
  await bob.tell(alice, "Good morning.");
  const a = new Messenger(await open(alice, "/", { serviceWorkers: "block" }));
  await a.open("Bob Brown");
  await a.has("Good morning.");
  await expect(badges(a)).toHaveCount(0);
  await look(a.page, false);
  await bob.tell(alice, "Hello?");
  await expect(badges(a)).toHaveText(["1"]);
  const history = await hold(a.page, ({ pathname }) => /\/conversation\/.*\/message$/.test(pathname));
  const sending = await hold(a.page, ({ pathname }) => pathname === "/v2/message");
  await look(a.page, true);
  await expect.poll(() => history.count).toBe(1);
  await history.release();
  await expect.poll(() => history.count).toBe(2); // both are answered without it
  await a.write("Yes.");
  await expect.poll(() => sending.count).toBe(1);
  await expect(a.entry("Bob Brown")).toContainText("Yes."); // the event has told of it
  await history.release();
  await a.isUpToDate();
  await sending.release();
  await a.has("Good morning.", "Hello?", "Yes.");
  await expect(badges(a)).toHaveCount(0);
  await expect(a.page).toHaveTitle("Signet");
});
