// How fast the messenger is. SIGNET_BENCH_ROUNDS says how often each thing is measured: 5 times unless set.
// SIGNET_BENCH_SHARE=0.01 tries the benchmarks with a hundredth of the messages and conversations.
//
// Browsers are at the server itself: what stands in front of it for tests takes its time.
import { type Page } from "@playwright/test";
import { unlimited } from "./client/test.js";
import { arrive, names, percentile, rounds, send, sized, tell } from "./fixtures/bench.js";
import { type Hospital } from "./fixtures/hospital.js";
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

/** firstView has a page begin anew, and returns how long that took. */
async function firstView(page: Page): Promise<number> {
  await page.goto("about:blank");
  await page.goto("/");
  await page.waitForFunction(() => window.firstView);
  return page.evaluate(() => window.firstView);
}

for (const conversations of [20, sized(10_000)]) {
  test(`the messenger is loaded, to the list of ${conversations} conversations`, async ({ browser, hospital, server }) => {
    const people = await hospital(names);
    const tokens = await admit(server, people, conversations);
    await send(people.alice, tokens.map((token) => ({ to: { token }, body: "Good morning." })));
    const cold: number[] = [];
    const warm: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const { page, list } = await arrive(browser, server, people.alice);
      await expect.poll(() => list.getByRole("button", { name: "Person" }).count()).toBeGreaterThan(5);
      await page.addInitScript(noteFirstView);
      await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined)); // it keeps the pages
      warm.push(await firstView(page));
      expect(await page.evaluate(kept)).not.toStrictEqual([]);
      await forget(page);
      cold.push(await firstView(page));
      expect(await page.evaluate(kept)).toStrictEqual([]);
      await page.context().close();
    }
    for (const [how, took] of [["without a cache", cold], ["with one", warm]] as const) {
      tell(`first view ${how}, ${conversations} conversations`, {
        "ms/median": percentile(took, 0.5),
        "ms/worst": percentile(took, 1),
      });
    }
  });
}

/** scroll scrolls at 6,000 pixels a second for half a minute, up or down, and returns what each frame took. */
function scroll(box: HTMLElement, down: boolean): Promise<number[]> {
  return new Promise((done) => {
    const frames: number[] = [];
    let last = performance.now();
    const end = last + 30_000;
    const step = (now: number) => {
      frames.push(now - last);
      last = now;
      box.scrollTop += down ? 100 : -100;
      if (now < end) requestAnimationFrame(step);
      else done(frames);
    };
    requestAnimationFrame(step);
  });
}

/** tellFrames prints what frames took. */
function tellFrames(name: string, frames: readonly number[], more: Readonly<Record<string, number>>): void {
  tell(name, {
    "ms/median-frame": percentile(frames, 0.5),
    "ms/p99-frame": percentile(frames, 0.99),
    "ms/longest-frame": percentile(frames, 1),
    ...more,
  });
}

test("somebody scrolls through a list of 10,000 conversations", async ({ browser, hospital, server }) => {
  const people = await hospital(names);
  const tokens = await admit(server, people, sized(10_000));
  await send(people.alice, tokens.map((token) => ({ to: { token }, body: "Good morning." })));
  const frames: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const { page, list } = await arrive(browser, server, people.alice);
    const entries = list.getByRole("button", { name: "Person" });
    await expect.poll(() => entries.count()).toBeGreaterThan(5);
    frames.push(...(await list.getByRole("list").evaluate(scroll, true)));
    await page.context().close();
  }
  tellFrames("scrolling through conversations", frames, { conversations: tokens.length });
});

test("somebody scrolls back through 50,000 messages of a conversation", async ({ browser, hospital, server }) => {
  const messages = sized(50_000);
  const { alice, bob } = await hospital(names);
  await send(bob, Array.from({ length: messages }, (_, i) => (
    { to: alice, body: `${i} ${"The results of bed 12 are in. ".repeat(1 + (i % 5))}` }
  )));
  const a = await arrive(browser, server, alice);
  await expect(a.entry("Bob Brown")).toBeVisible();
  await alice.read(bob);
  await a.page.reload();
  await a.open("Bob Brown");
  const box = a.page.getByRole("region", { name: "Messages" });
  const toEnd = () => box.evaluate((el) => el.scrollHeight - el.scrollTop - el.clientHeight);
  await expect(a.message(`${messages - 1} The results`)).toBeVisible();
  await expect.poll(toEnd).toBeLessThan(24);
  const frames: number[] = [];
  for (let round = 0; round < rounds; round++) frames.push(...(await box.evaluate(scroll, false)));
  tellFrames("scrolling back", frames, { "messages/page": await a.messages.count() });
  await a.page.context().close();
});

/** noteSeen has a page note how long each message was on its way until it was on the page. It begins with its time. */
function noteSeen(box: HTMLElement): void {
  let newest = 0;
  new MutationObserver(() => {
    // Several may come at once.
    for (const item of [...box.querySelectorAll("li")].slice(-10)) {
      const sent = parseFloat(item.textContent ?? "");
      if (!(sent > newest)) continue;
      newest = sent;
      window.seen.push(performance.timeOrigin + performance.now() - sent);
    }
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
  const sends = sized(400);
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
