// Web Push: what the browser shows of a message while no page is open. The DevTools protocol stands for the push service.
import type { CDPSession, Page, Worker } from "@playwright/test";
import { Messenger } from "./fixtures/messenger.js";
import { expect, test } from "./fixtures/test.js";
import { launch, whole } from "./playwright.config.js";

test.use({ launchOptions: launch(...whole) }); // the shell without windows shows no notifications

/** subscribable has the browser subscribe by itself, as one with a push service does. */
function subscribable(): void {
  const made = Object.assign(window, { subscribed: [] as unknown[] });
  const keys = {
    p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    auth: "BTBZMqHH6r4Tts7J_aSIgg",
  };
  let subscription: object | null = null;
  Object.assign(PushManager.prototype, {
    getSubscription: async () => subscription,
    subscribe: async (options: unknown) => {
      made.subscribed.push(options);
      return (subscription = {
        options: {},
        toJSON: () => ({ endpoint: "https://fcm.googleapis.com/fcm/send/of-a-test", expirationTime: null, keys }),
        unsubscribe: async () => ((subscription = null), true),
      });
    },
  });
}

/** pushes returns what delivers a push to the worker of a page. */
async function pushes(page: Page): Promise<(payload: object) => Promise<void>> {
  const protocol: CDPSession = await page.context().newCDPSession(page);
  const registered = new Promise<{ registrationId: string; scopeURL: string }>((resolve) => {
    protocol.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const found = registrations.find(({ isDeleted }) => !isDeleted);
      if (found) resolve(found);
    });
  });
  await protocol.send("ServiceWorker.enable");
  const { registrationId, scopeURL } = await registered;
  const origin = new URL(scopeURL).origin;
  return async (payload) => {
    await protocol.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data: JSON.stringify(payload) });
  };
}

function workerOf(page: Page): Worker {
  const [worker] = page.context().serviceWorkers();
  if (!worker) throw new Error("there is no worker");
  return worker;
}

interface Shown {
  readonly text: string;
  /** It makes a sound where it takes the place of another one. */
  readonly sounds: boolean;
  readonly stays: boolean;
}

/**
 * shown are the notifications that the system shows. Like the application it asks while none is being shown:
 * Chromium would forget that one.
 */
async function shown(page: Page): Promise<Shown[]> {
  return page.evaluate(async () => {
    const worker = await navigator.serviceWorker.ready;
    const all = await navigator.locks.request("signet-notifications", () => worker.getNotifications());
    return all.map((shown) => {
      const { title, body, silent, requireInteraction } = shown;
      const { renotify } = shown as Notification & { renotify: boolean };
      return { text: `${title}: ${body}`, sounds: renotify && !silent, stays: requireInteraction };
    });
  });
}

const plain = { sounds: true, stays: false };
const pressing = { sounds: true, stays: true };
const hushed = { sounds: false, stays: false };

/** subscribe has a person choose notifications in a browser that can subscribe, and returns once the page says so. */
async function subscribe(open: (path: string) => Promise<Page>): Promise<Messenger> {
  const a = new Messenger(await open("/healthz"));
  await a.page.addInitScript(subscribable);
  await a.page.goto("/");
  await a.isUpToDate();
  await a.own("Settings");
  await a.dialog.getByLabel("Notifications", { exact: true }).selectOption("Sender and text");
  await expect(a.dialog.getByText(locked, { exact: false })).toBeVisible(); // the worker has the words by now
  return a;
}

const notified = { permissions: ["notifications"] };
const locked = "on a locked screen, too";
const onlyOpen = "While Signet is closed, this browser doesn’t tell you of messages.";

test("whoever wants notifications is told while no page is open, and of nothing but a count", async ({ hospital, open }) => {
  const { alice } = await hospital({ alice: "Alice Ames" });
  const a = await subscribe((path) => open(alice, path, notified));
  await expect(a.dialog.getByText(onlyOpen)).toHaveCount(0);
  let told = 0;
  a.page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/v2/user/me/push")) told++;
  });
  await a.dialog.getByRole("button", { name: "Save" }).click(); // after which the page asks who is signed in
  await expect(a.page.getByText("Saved.", { exact: true })).toBeVisible();
  const subscribed = () => a.page.evaluate(() => (window as unknown as { subscribed: unknown[] }).subscribed.length);
  await expect.poll(subscribed).toBe(1);
  const listed = async () => (await alice.client.getSubscriptions()).map(({ host }) => host);
  await expect.poll(listed).toEqual(["fcm.googleapis.com"]);

  await a.page.goto("/healthz"); // the messenger is closed
  const push = await pushes(a.page);
  await push({ priority: false, unread_count: 1 });
  await expect.poll(() => shown(a.page)).toEqual([{ text: "Signet: New message", ...plain }]);
  await push({ priority: true, unread_count: 3 });
  await expect.poll(() => shown(a.page)).toEqual([{ text: "Signet: New urgent message (3)", ...pressing }]);

  await a.page.goto("/");
  await a.isUpToDate();
  await expect.poll(() => shown(a.page)).toEqual([]);
  await a.own("Settings");
  await a.dialog.getByLabel("Notifications", { exact: true }).selectOption("Off");
  await expect.poll(listed).toEqual([]);
  expect(told).toBe(1); // as the page was opened again
});

test("what is pushed in quiet hours makes no sound and does not stay", async ({ hospital, open }) => {
  const { alice } = await hospital({ alice: "Alice Ames" });
  const a = await subscribe((path) => open(alice, path, notified));
  await a.dialog.getByRole("checkbox", { name: "Quiet hours" }).check();
  await a.dialog.getByLabel("From", { exact: true }).fill("00:00");
  await a.dialog.getByLabel("To", { exact: true }).fill("00:00"); // all day
  const kept = () => a.page.evaluate(async () => {
    const words = await caches.match("/pushed.json", { cacheName: "signet-pushed" });
    return words && ((await words.json()) as { quiet?: { from: string; to: string; through: boolean } }).quiet;
  });
  await expect.poll(kept).toEqual({ from: "00:00", to: "00:00", through: true });
  const other = await a.page.context().newPage();
  await other.goto("/healthz");
  const push = await pushes(other);
  const urgent = { priority: true, unread_count: 2 };

  await a.page.goto("/healthz");
  await push({ priority: false, unread_count: 1 });
  await expect.poll(() => shown(other)).toEqual([{ text: "Signet: New message", ...hushed }]);
  await push(urgent);
  await expect.poll(() => shown(other)).toEqual([{ text: "Signet: New urgent message (2)", ...pressing }]);

  await a.page.goto("/");
  await a.own("Settings");
  await a.dialog.getByRole("checkbox", { name: "Urgent messages come through" }).uncheck();
  await expect.poll(kept).toEqual({ from: "00:00", to: "00:00", through: false });
  await a.page.goto("/healthz");
  await push(urgent);
  await expect.poll(() => shown(other)).toEqual([{ text: "Signet: New urgent message (2)", ...hushed }]);
});

test("what is pushed goes at once where the messenger is in sight", async ({ hospital, open }) => {
  const { alice } = await hospital({ alice: "Alice Ames" });
  const a = await subscribe((path) => open(alice, path, notified));
  const worker = workerOf(a.page);
  await worker.evaluate(() => {
    const { registration } = globalThis as unknown as { registration: ServiceWorkerRegistration };
    const show = registration.showNotification.bind(registration);
    Object.assign(globalThis, { shows: 0 });
    registration.showNotification = async (...like) => {
      await show(...like);
      (globalThis as unknown as { shows: number }).shows++;
    };
  });
  const push = await pushes(a.page);
  await push({ priority: true, unread_count: 1 });
  await expect.poll(() => worker.evaluate(() => (globalThis as unknown as { shows: number }).shows)).toBe(1);
  await expect.poll(() => shown(a.page)).toEqual([]);
});

test("the settings say where a browser is not told", async ({ hospital, open }) => {
  const { alice } = await hospital({ alice: "Alice Ames" });
  const a = new Messenger(await open(alice, "/healthz", notified));
  await a.page.addInitScript(() => {
    PushManager.prototype.subscribe = () => Promise.reject(new DOMException("no push service", "AbortError"));
  });
  await a.page.goto("/");
  await a.isUpToDate();
  await a.own("Settings");
  await expect(a.dialog.getByText(onlyOpen)).toHaveCount(0);
  await a.dialog.getByLabel("Notifications", { exact: true }).selectOption("Sender and text");
  await expect(a.dialog.getByText(onlyOpen)).toBeVisible();
  await expect(a.dialog.getByText(locked, { exact: false })).toHaveCount(0);
});

test("a browser that is reached in another way from now on tells the server", async ({ hospital, open }) => {
  const { alice } = await hospital({ alice: "Alice Ames" });
  const a = await subscribe((path) => open(alice, path, notified));
  const listed = async () => (await alice.client.getSubscriptions()).map(({ host }) => host);
  await expect.poll(listed).toEqual(["fcm.googleapis.com"]);
  const worker = workerOf(a.page);
  await worker.evaluate(() => {
    const keys = {
      p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
      auth: "BTBZMqHH6r4Tts7J_aSIgg",
    };
    const endpoint = "https://updates.push.services.mozilla.com/wpush/v2/of-a-test";
    const { registration } = globalThis as unknown as { registration: ServiceWorkerRegistration };
    registration.pushManager.subscribe = async () => ({ toJSON: () => ({ endpoint, keys }) }) as unknown as PushSubscription;
    dispatchEvent(Object.assign(new Event("pushsubscriptionchange"), { waitUntil: () => undefined }));
  });
  await expect.poll(listed).toContain("updates.push.services.mozilla.com");
});

test("what is pushed is shown once no page asks what is shown", async ({ hospital, open }) => {
  const { alice } = await hospital({ alice: "Alice Ames" });
  const a = await subscribe((path) => open(alice, path, notified));
  await a.page.goto("/healthz");
  const push = await pushes(a.page);
  await a.page.evaluate(async () => {
    const end = new Promise((resolve) => Object.assign(window, { endAsking: resolve }));
    await new Promise<void>((resolve) => void navigator.locks.request("signet-notifications", () => (resolve(), end)));
  });
  await push({ priority: false, unread_count: 1 });
  const waiting = async () => (await navigator.locks.query()).pending?.length;
  await expect.poll(() => a.page.evaluate(waiting)).toBe(1);
  await a.page.evaluate(() => (window as unknown as { endAsking: () => void }).endAsking());
  await expect.poll(() => shown(a.page)).toEqual([{ text: "Signet: New message", ...plain }]);
});
