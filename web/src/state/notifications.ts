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
 * show has a notification shown in the place of the last one with its tag, as soon as there is a worker: the page may
 * have just begun.
 */
export async function show(title: string, options: NotificationOptions & { tag: string; data: Carried }): Promise<void> {
  await (await container()?.ready)?.showNotification(title, options);
}

/** withdraw closes the notification with a tag. */
export async function withdraw(tag: string): Promise<void> {
  const found = await worker();
  for (const notification of (await found?.getNotifications({ tag })) ?? []) notification.close();
}

/**
 * withdrawOthers closes what is not of the account that is signed in; without one everything, and the count on the
 * installed application. Each tab does so as it finds out who is signed in: also of a session that no tab saw end.
 */
export async function withdrawOthers(account?: string): Promise<void> {
  const { clearAppBadge } = navigator as { clearAppBadge?: Navigator["clearAppBadge"] };
  if (account === undefined) void clearAppBadge?.call(navigator).catch(() => undefined); // it is not installed
  const found = await worker();
  for (const notification of (await found?.getNotifications()) ?? []) {
    if (account === undefined || (notification.data as Carried | null)?.account !== account) notification.close();
  }
}
