// The service worker of the messenger: it keeps the application, so that it starts without a
// connection, and nothing of content. Calls of the interface pass it by. While no page is open it shows that there is
// a message.
declare const self: ServiceWorkerGlobalScope;

/** What the application consists of, and the name of this state of it. bundle.mjs fills them in. */
declare const FILES: readonly string[];
declare const VERSION: string;

const kept = `signet-${VERSION}`;

/** Where a page keeps the words of what is pushed, and the tag by which it closes that (kit/state/notifications.ts). */
const pushed = { cache: "signet-pushed", address: "/pushed.json", tag: "pushed" } as const;

/** The lock of whoever shows or asks for notifications, pages too (alone in kit/state/notifications.ts). */
const showing = "signet-notifications";

/** Those words, whose browser it is, and when it keeps quiet. */
interface Pushed {
  readonly account: string;
  readonly title: string;
  readonly sign: string;
  readonly urgent: string;
  readonly icon: string;
  readonly quiet?: { readonly from: string; readonly to: string; readonly through: boolean };
}

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(kept).then((cache) => cache.addAll([...FILES])));
});

// Once no page of an older state is open.
self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches.keys().then((names) => Promise.all(names.filter((name) => name !== kept && name !== pushed.cache).map((name) => caches.delete(name)))),
  );
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (request.mode === "navigate") {
    if (pathname === "/" || pathname === "/c" || pathname.startsWith("/c/")) event.respondWith(page(request));
  } else if (FILES.includes(pathname)) {
    event.respondWith(file(request, pathname));
  }
});

/** page is the messenger as the server has it; without one that answers, as it was kept. */
async function page(request: Request): Promise<Response> {
  try {
    const answer = await fetch(request);
    if (answer.status < 500) return answer;
  } catch {
    // there is no connection
  }
  return file(request, "/");
}

async function file(request: Request, name: string): Promise<Response> {
  return (await caches.match(name, { cacheName: kept })) ?? fetch(request);
}

self.addEventListener("push", (event) => event.waitUntil(tell(event.data)));

/**
 * tell shows that there is a message, in the place of what was shown before: browsers want something shown each time,
 * in quiet hours too. The page closes it, and so does a page that finds somebody else signed in
 * (kit/state/notifications.ts). Where the page is in sight, it goes at once.
 */
async function tell(data: PushMessageData | null): Promise<void> {
  const { priority, unread_count } = (data?.json() ?? {}) as { priority?: boolean; unread_count?: number };
  const answer = await caches.match(pushed.address, { cacheName: pushed.cache });
  const words = answer && ((await answer.json()) as Pushed);
  const body = (priority ? words?.urgent : words?.sign) ?? "";
  const hushed = words?.quiet !== undefined && isWithin(words.quiet) && !(words.quiet.through && priority);
  const title = words?.title ?? "Signet";
  const options: NotificationOptions = {
    body: unread_count !== undefined && unread_count > 1 ? `${body} (${unread_count})` : body,
    tag: pushed.tag,
    ...{ renotify: !hushed },
    silent: hushed,
    requireInteraction: priority === true && !hushed,
    ...(words && { icon: words.icon }),
    data: { account: words?.account ?? "", address: "/" },
  };
  await self.navigator.locks.request(showing, async () => {
    await self.registration.showNotification(title, options);
    if (!(await messengers()).some(({ visibilityState }) => visibilityState === "visible")) return;
    for (const notification of await self.registration.getNotifications({ tag: pushed.tag })) notification.close();
  });
  const { setAppBadge } = self.navigator as { setAppBadge?: (count: number) => Promise<void> };
  await setAppBadge?.call(self.navigator, unread_count ?? 0).catch(() => undefined); // it is not installed
}

/** isWithin tells whether it is now between two times of day, as the page does (messenger/state/hearing.ts). */
function isWithin({ from, to }: { from: string; to: string }): boolean {
  const now = new Date();
  const at = [now.getHours(), now.getMinutes()].map((n) => String(n).padStart(2, "0")).join(":");
  return from < to ? from <= at && at < to : from <= at || at < to;
}

self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renew(event)));

/** renew tells the server how the browser is reached from now on: its maker has ended what it subscribed to. */
async function renew({ oldSubscription, newSubscription }: PushSubscriptionChangeEvent): Promise<void> {
  const made = newSubscription ?? (await subscribe(oldSubscription));
  if (!made) return;
  const headers = { "Content-Type": "application/json" };
  await fetch("/v2/user/me/push", { method: "POST", headers, body: JSON.stringify(made) }); // with the cookie of the session
}

/** subscribe subscribes as before; undefined where the server pushes nothing any more. */
async function subscribe(as: PushSubscription | null): Promise<PushSubscription | undefined> {
  let applicationServerKey: string | ArrayBuffer | null | undefined = as?.options.applicationServerKey;
  if (!applicationServerKey) {
    const answer = await fetch("/v2/push");
    if (!answer.ok) return undefined;
    applicationServerKey = ((await answer.json()) as { reply: { public_key: string } }).reply.public_key;
  }
  return self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open((event.notification.data as { address: string }).address)); // state/notifications.ts
});

/** messengers are those that are open, in whatever state of the application. */
async function messengers(): Promise<WindowClient[]> {
  const all = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  return all.filter(({ url }) => /^\/(c(\/.*)?)?$/.test(new URL(url).pathname));
}

/** open shows an address in the messenger that is open, or in a new one. */
async function open(address: string): Promise<void> {
  const [messenger] = await messengers();
  if (!messenger) return void (await self.clients.openWindow(address));
  messenger.postMessage(address);
  await messenger.focus();
}

export {};
