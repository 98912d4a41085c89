// Notifications that the system shows. They are of somebody's, whose session they do not outlive.

/** What a notification carries, unseen. */
export interface Carried {
  /** Whose it is. */
  account: string;
  /** Where it leads to. */
  address: string;
}

/** container is where the browser keeps workers; none where it allows none. */
function container(): ServiceWorkerContainer | undefined {
  return (navigator as { serviceWorker?: ServiceWorkerContainer }).serviceWorker;
}

/** worker is what shows them; none where there is none yet. */
async function worker(): Promise<ServiceWorkerRegistration | undefined> {
  return container()?.getRegistration().catch(() => undefined);
}

/**
 * alone does what shows or asks for notifications while no tab does either: Chromium forgets one that is being shown
 * when others are asked for.
 */
async function alone<T>(act: () => Promise<T>): Promise<T> {
  const { locks } = navigator as { locks?: LockManager };
  return locks ? locks.request("signet-notifications", act) : act();
}

/**
 * show has a notification shown in the place of the last one with its tag, as soon as there is a worker: the page may
 * have just begun.
 */
export async function show(title: string, options: NotificationOptions & { tag: string; data: Carried }): Promise<void> {
  const found = await container()?.ready;
  if (found) await alone(() => found.showNotification(title, options));
}

/** shown returns those that are shown. */
async function shown(filter?: GetNotificationOptions): Promise<readonly Notification[]> {
  const found = await worker();
  return found ? alone(() => found.getNotifications(filter)) : [];
}

/** withdraw closes the notification with a tag. */
export async function withdraw(tag: string): Promise<void> {
  for (const notification of await shown({ tag })) notification.close();
}

/**
 * withdrawOthers closes the notifications of other accounts than the one that is signed in. Where none is, it closes
 * all and clears the count on the installed application. Each tab calls it when it finds out who is signed in, so that
 * nothing is left of a session that ended while no tab was open.
 */
export async function withdrawOthers(account?: string): Promise<void> {
  const { clearAppBadge } = navigator as { clearAppBadge?: Navigator["clearAppBadge"] };
  if (account === undefined) void clearAppBadge?.call(navigator).catch(() => undefined); // it is not installed
  for (const notification of await shown()) {
    if (account === undefined || (notification.data as Carried | null)?.account !== account) notification.close();
  }
}

/** What the service worker shows of a message that it is told of while no page is open: it has no words of its own. */
export interface Pushed {
  /** Whose browser it is. */
  readonly account: string;
  readonly title: string;
  readonly sign: string;
  readonly urgent: string;
  readonly icon: string;
  /** Hours in which it neither sounds nor stays; through: urgent messages do (messenger/state/hearing.ts). */
  readonly quiet: { readonly from: string; readonly to: string; readonly through: boolean } | undefined;
}

/** The tag of what the worker shows, and where it finds the words (worker/index.ts): a cache is all that both have. */
export const pushedTag = "pushed";
const pushedCache = "signet-pushed";
const pushedAddress = "/pushed.json"; // which nobody serves

/** keepPushed keeps the words for the worker; undefined: none. */
export async function keepPushed(words: Pushed | undefined): Promise<void> {
  if (!words) return void (await caches.delete(pushedCache));
  await (await caches.open(pushedCache)).put(pushedAddress, new Response(JSON.stringify(words)));
}
