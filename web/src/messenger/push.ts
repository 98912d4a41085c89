// Web Push: while no page is open, a browser whose person wants to be notified is told of messages by its maker's
// service. What it is told is whether a message is urgent, and how many are unread (docs/api/push.md).
import { effect } from "@preact/signals";
import { type Client, SignetError } from "../client/index";
import { siteName } from "../kit/state/brand";
import { keepPushed, pushedTag, withdraw } from "../kit/state/notifications";
import { client, session } from "../kit/state/session";
import { language, text } from "../text/text";
import { notices } from "./notices";

let following = false;

/** followPush subscribes, or ends that, as the person chooses, and once for each session. */
export function followPush(): void {
  if (following || !("serviceWorker" in navigator && "PushManager" in window && "Notification" in window)) return;
  following = true;
  effect(() => {
    const account = session.value?.account.token;
    const wanted = notices.value !== "off" && Notification.permission === "granted";
    void language.value; // what the worker is to say
    if (account !== undefined) void inTurn(() => settle(account, wanted));
  });
  const seen = () => void (document.visibilityState === "visible" && withdraw(pushedTag));
  document.addEventListener("visibilitychange", seen);
  seen();
}

/** inTurn does it while no other tab does. */
async function inTurn(act: () => Promise<void>): Promise<void> {
  const { locks } = navigator as { locks?: LockManager };
  try {
    await (locks ? locks.request("signet-push", act) : act());
  } catch {
    // Without a connection, or where the browser has no service or does not let it: the next start of a page tries again.
  }
}

async function settle(account: string, wanted: boolean): Promise<void> {
  const { pushManager } = await navigator.serviceWorker.ready;
  const had = await pushManager.getSubscription();
  if (!wanted) {
    await keepPushed(undefined);
    if (had) await end(client, had);
    return;
  }
  const key = await keyOf(client);
  if (key === undefined) return;
  let subscription = had;
  if (had && !isOf(had, key)) { // of another server, or of one that was set up anew
    await had.unsubscribe();
    subscription = null;
  }
  const icon = document.querySelector<HTMLLinkElement>("link[rel=apple-touch-icon]")?.href ?? "";
  await keepPushed({ account, title: siteName(), sign: text("newMessage"), urgent: text("newUrgent"), icon });
  subscription ??= await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  const { endpoint, keys } = subscription.toJSON();
  if (endpoint && keys?.["p256dh"] && keys["auth"]) {
    await client.subscribe({ endpoint, keys: { p256dh: keys["p256dh"], auth: keys["auth"] } });
  }
}

/** keyOf is the key to subscribe with; undefined where the server pushes nothing. */
async function keyOf(by: Client): Promise<string | undefined> {
  try {
    return (await by.getPush()).public_key;
  } catch (error) {
    if (error instanceof SignetError && error.status === 404) return undefined;
    throw error;
  }
}

function isOf({ options }: PushSubscription, key: string): boolean {
  if (!options.applicationServerKey) return true; // the browser does not tell
  const bytes = String.fromCharCode(...new Uint8Array(options.applicationServerKey));
  return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "") === key;
}

/** end has the browser told of nothing any more. */
async function end(by: Client, subscription: PushSubscription): Promise<void> {
  await subscription.unsubscribe();
  for (const { id, current } of await by.getSubscriptions()) if (current) await by.unsubscribe(id);
}
