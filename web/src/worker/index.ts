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

/** Those words, and whose browser it is. */
interface Pushed {
  readonly account: string;
  readonly title: string;
  readonly sign: string;
  readonly urgent: string;
  readonly icon: string;
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
 * tell shows that there is a message, in the place of what was shown before: browsers want something shown each time.
 * The page closes it, and so does a page that finds somebody else signed in (kit/state/notifications.ts).
 */
async function tell(data: PushMessageData | null): Promise<void> {
  const { priority, unread_count } = (data?.json() ?? {}) as { priority?: boolean; unread_count?: number };
  const answer = await caches.match(pushed.address, { cacheName: pushed.cache });
  const words = answer && ((await answer.json()) as Pushed);
  const body = (priority ? words?.urgent : words?.sign) ?? "";
  await self.registration.showNotification(words?.title ?? "Signet", {
    body: unread_count !== undefined && unread_count > 1 ? `${body} (${unread_count})` : body,
    tag: pushed.tag,
    ...{ renotify: true },
    requireInteraction: priority === true,
    ...(words && { icon: words.icon }),
    data: { account: words?.account ?? "", address: "/" },
  });
  const { setAppBadge } = self.navigator as { setAppBadge?: (count: number) => Promise<void> };
  await setAppBadge?.call(self.navigator, unread_count ?? 0).catch(() => undefined); // it is not installed
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open((event.notification.data as { address: string }).address)); // state/notifications.ts
});

/** open shows an address in the messenger that is open, or in a new one. */
async function open(address: string): Promise<void> {
  for (const client of await self.clients.matchAll({ type: "window" })) {
    const { pathname } = new URL(client.url);
    if (pathname !== "/" && !pathname.startsWith("/c")) continue;
    client.postMessage(address);
    await client.focus();
    return;
  }
  await self.clients.openWindow(address);
}

export {};
