// The service worker of the messenger: it keeps the application, so that it starts without a
// connection, and nothing of content. Calls of the interface pass it by.
declare const self: ServiceWorkerGlobalScope;

/** What the application consists of, and the name of this state of it. bundle.mjs fills them in. */
declare const FILES: readonly string[];
declare const VERSION: string;

const kept = `signet-${VERSION}`;

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(kept).then((cache) => cache.addAll([...FILES])));
});

// Once no page of an older state is open.
self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches.keys().then((names) => Promise.all(names.filter((name) => name !== kept).map((name) => caches.delete(name)))),
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

// A listener of "push" would stand here: what it shows needs the data of kit/state/notifications.ts (Carried), so that it
// leads somewhere and ends with its session.
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
