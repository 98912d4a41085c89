// How fast the messenger is. SIGNET_BENCH_ROUNDS says how often each thing is measured: 5 times unless set.
//
// Browsers are at the server itself: what stands in front of it for tests takes its time.
import { type Browser, type Page } from "@playwright/test";
import { unlimited } from "./client/test.js";
import { type Hospital, type Person, type Recipient, password } from "./fixtures/hospital.js";
import { Messenger, signIn } from "./fixtures/messenger.js";
import type { Server } from "./fixtures/stage.js";
import { expect, test } from "./fixtures/test.js";

test.use({ serve: unlimited });

declare global {
  /** What pages note for these benchmarks. */
  interface Window {
    firstView: number;
    seen: number[];
  }
}

const rounds = Number(process.env["SIGNET_BENCH_ROUNDS"] ?? 5);
const names = { alice: "Alice Ames", bob: "Bob Brown" };

/** tell prints the figures of a benchmark in a line. */
function tell(name: string, figures: Readonly<Record<string, number>>): void {
  const told = Object.entries(figures).map(([unit, figure]) => `${figure.toFixed(1)} ${unit}`);
  console.log([name, `rounds: ${rounds}`, ...told].join("\t"));
}

/** percentile is the value that a share of the values does not exceed; 1 is for the largest. */
function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}

/** admit makes people without a password, and returns their tokens. */
async function admit(server: Server, { organization }: Hospital<never>, people: number): Promise<string[]> {
  const tokens: string[] = [];
  for (let from = 0; from < people; from += 500) {
    const users = Array.from({ length: Math.min(500, people - from) }, (_, i) => {
      const number = String(from + i).padStart(5, "0");
      return { username: `person${number}`, display_name: `Person ${number}` };
    });
    const { results } = await server.operator.in(organization).createUsers({ users });
    tokens.push(...results.map((result) => result.user?.token ?? ""));
  }
  expect(tokens).not.toContain("");
  return tokens;
}

/** send sends messages of one person, 16 at a time. */
async function send(from: Person, messages: readonly { to: Recipient; body: string }[]): Promise<void> {
  const left = messages.values();
  const one = async () => {
    for (const { to, body } of left) await from.tell(to, body);
  };
  await Promise.all(Array.from({ length: 16 }, one));
}

/** arrive has somebody sign in, in a context that was never here. */
async function arrive(browser: Browser, server: Server, who: Person): Promise<Messenger> {
  const context = await browser.newContext({ baseURL: server.direct });
  const page = await context.newPage();
  await page.goto("/");
  await signIn(page, who.username, password);
  return new Messenger(page);
}

/** forget takes from the browser what it has kept of the pages, and has it keep nothing more. */
async function forget(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const worker = await navigator.serviceWorker.ready; // it is installed after the page is shown
    await worker.unregister();
    for (const name of await caches.keys()) await caches.delete(name);
  });
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
}

/** noteFirstView has a page note when it first shows conversations, in milliseconds since it was asked for. */
function noteFirstView(): void {
  requestAnimationFrame(function look(now) {
    if (document.querySelectorAll("nav [aria-posinset] button").length > 5) window.firstView = now;
    else requestAnimationFrame(look);
  });
}

/** kept lists the files of a page that did not come from the server. */
function kept(): string[] {
  const files = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
  const assets = files.filter(({ name }) => name.includes("/assets/"));
  return assets.filter(({ transferSize }) => transferSize === 0).map(({ name }) => name);
}

for (const conversations of [20, 10_000]) {
  test(`the messenger is loaded without a cache, to the list of ${conversations} conversations`, async ({
    browser, hospital, server,
  }) => {
    const people = await hospital(names);
    const tokens = await admit(server, people, conversations);
    await send(people.alice, tokens.map((token) => ({ to: { token }, body: "Good morning." })));
    const took: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const { page, list } = await arrive(browser, server, people.alice);
      await expect.poll(() => list.getByRole("button", { name: "Person" }).count()).toBeGreaterThan(5);
      await forget(page);
      await page.addInitScript(noteFirstView);
      await page.goto("about:blank");
      await page.goto("/");
      await page.waitForFunction(() => window.firstView);
      took.push(await page.evaluate(() => window.firstView));
      expect(await page.evaluate(kept)).toStrictEqual([]);
      await page.context().close();
    }
    tell(`first view, ${conversations} conversations`, {
      "ms/median": percentile(took, 0.5),
      "ms/worst": percentile(took, 1),
    });
  });
}

/** scrollBack scrolls back at 6,000 pixels a second for half a minute, and returns what each frame took. */
function scrollBack(box: HTMLElement): Promise<number[]> {
  return new Promise((done) => {
    const frames: number[] = [];
    let last = performance.now();
    const end = last + 30_000;
    const step = (now: number) => {
      frames.push(now - last);
      last = now;
      box.scrollTop -= 100;
      if (now < end) requestAnimationFrame(step);
      else done(frames);
    };
    requestAnimationFrame(step);
  });
}

test("somebody scrolls back through 50,000 messages of a conversation", async ({ browser, hospital, server }) => {
  const { alice, bob } = await hospital(names);
  await send(bob, Array.from({ length: 50_000 }, (_, i) => (
    { to: alice, body: `${i} ${"The results of bed 12 are in. ".repeat(1 + (i % 5))}` }
  )));
  const a = await arrive(browser, server, alice);
  await expect(a.entry("Bob Brown")).toBeVisible();
  await alice.read(bob);
  await a.page.reload();
  await a.open("Bob Brown");
  const box = a.page.getByRole("region", { name: "Messages" });
  const toEnd = () => box.evaluate((el) => el.scrollHeight - el.scrollTop - el.clientHeight);
  await expect(a.message("49999 The results")).toBeVisible();
  await expect.poll(toEnd).toBeLessThan(24);
  const frames: number[] = [];
  for (let round = 0; round < rounds; round++) frames.push(...(await box.evaluate(scrollBack)));
  tell("scrolling back", {
    "ms/median-frame": percentile(frames, 0.5),
    "ms/p99-frame": percentile(frames, 0.99),
    "ms/longest-frame": percentile(frames, 1),
    "messages/page": await a.messages.count(),
  });
  await a.page.context().close();
});

/** noteSeen has a page note how long each message was on its way until it was on the page. It begins with its time. */
function noteSeen(box: HTMLElement): void {
  let newest = 0;
  new MutationObserver(() => {
    const item = [...box.querySelectorAll("li")].at(-1);
    const sent = parseFloat(item?.textContent ?? "");
    if (!(sent > newest)) return;
    newest = sent;
    window.seen.push(performance.timeOrigin + performance.now() - sent);
  }).observe(box, { childList: true, subtree: true });
}

/** sendTimes sends messages that begin with their time, four a second. */
async function sendTimes(field: HTMLElement, sends: number): Promise<void> {
  for (let i = 0; i < sends; i++) {
    (field as HTMLTextAreaElement).value = `${performance.timeOrigin + performance.now()} o'clock`;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
    await new Promise((done) => setTimeout(done, 250));
  }
}

test("what is sent in one browser is on the page of another", async ({ browser, hospital, server }) => {
  const sends = 400;
  const { alice, bob } = await hospital(names);
  await bob.tell(alice, "Good morning.");
  const a = await arrive(browser, server, alice);
  await a.open("Bob Brown");
  const b = await arrive(browser, server, bob);
  await b.open("Alice Ames");
  await expect(b.message("Good morning.")).toBeVisible();
  await b.page.getByRole("region", { name: "Messages" }).evaluate(noteSeen);
  const took: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await b.page.evaluate(() => void (window.seen = []));
    await a.field.evaluate(sendTimes, sends);
    await expect.poll(() => b.page.evaluate(() => window.seen.length)).toBe(sends);
    took.push(...(await b.page.evaluate(() => window.seen)));
  }
  tell("seen by another", {
    "ms/median": percentile(took, 0.5),
    "ms/p99": percentile(took, 0.99),
    "ms/longest": percentile(took, 1),
  });
  await a.page.context().close();
  await b.page.context().close();
});
