// Web Push: what the browser shows of a message while no page is open. The DevTools protocol stands for the push service.
import type { CDPSession, Page } from "@playwright/test";
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

/** shown are the notifications that the system shows. */
async function shown(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const worker = await navigator.serviceWorker.ready;
    return (await worker.getNotifications()).map(({ title, body }) => `${title}: ${body}`);
  });
}

test("whoever wants notifications is told while no page is open, and of nothing but a count", async ({ hospital, open }) => {
  const { alice } = await hospital({ alice: "Alice Ames" });
  const a = new Messenger(await open(alice, "/healthz", { permissions: ["notifications"] }));
  await a.page.addInitScript(subscribable);
  await a.page.goto("/");
  await a.isUpToDate();
  await a.own("Settings");
  const locked = a.dialog.getByText("on a locked screen, too", { exact: false });
  await expect(locked).toHaveCount(0);
  await a.dialog.getByLabel("Notifications", { exact: true }).selectOption("Sender and text");
  await expect(locked).toBeVisible();
  const subscribed = () => a.page.evaluate(() => (window as unknown as { subscribed: unknown[] }).subscribed.length);
  await expect.poll(subscribed).toBe(1);
  const listed = async () => (await alice.client.getSubscriptions()).map(({ host }) => host);
  await expect.poll(listed).toEqual(["fcm.googleapis.com"]);

  const push = await pushes(a.page);
  await push({ priority: false, unread_count: 1 });
  await expect.poll(() => shown(a.page)).toEqual(["Signet: New message"]);
  await push({ priority: true, unread_count: 3 });
  await expect.poll(() => shown(a.page)).toEqual(["Signet: New urgent message (3)"]);

  await a.dialog.getByLabel("Notifications", { exact: true }).selectOption("Off");
  await expect.poll(listed).toEqual([]);
});
