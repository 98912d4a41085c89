// Web Push: while no page is open, a browser whose person wants to be notified is told of messages by its maker's
// service. What it is told is whether a message is urgent, and how many are unread (docs/api/push.md).
import { computed, effect, signal } from "@preact/signals";
import { type Client, SignetError } from "../client/index";
import { siteName } from "../kit/state/brand";
import { keepPushed, type Pushed, pushedTag, withdraw } from "../kit/state/notifications";
import { client, session } from "../kit/state/session";
import { language, text } from "../text/text";
import { notices } from "./notices";
import { hearing } from "./state/hearing";

/** The browser is told of messages while no page is open; undefined until that is known. */
export const pushing = signal<boolean>();

const account = computed(() => session.value?.account.token);
const wanted = computed(() => notices.value !== "off" && Notification.permission === "granted");

let following = false;

/** followPush subscribes, or ends that, as the person chooses, and once for each session. */
export function followPush(): void {
  if (following) return;
  following = true;
  if (!("serviceWorker" in navigator && "PushManager" in window && "Notification" in window)) {
    pushing.value = false;
    return;
  }
  effect(() => {
    if (account.value === undefined) return;
    const words = wordsOf(account.value);
    void inTurn(() => keepPushed(words));
  });
  effect(() => {
    const wants = wanted.value;
    if (account.value !== undefined) void follow(wants);
  });
  const seen = () => void (document.visibilityState === "visible" && withdraw(pushedTag));
  document.addEventListener("visibilitychange", seen);
  seen();
}

/** follow has the browser told, or not, and knows then which it is. */
async function follow(wants: boolean): Promise<void> {
  let told = false;
  await inTurn(async () => void (told = await settle(wants)));
  pushing.value = told;
}

/** wordsOf is what the worker is to say, and when it keeps quiet; undefined where the person wants no notifications. */
function wordsOf(whose: string): Pushed | undefined {
  if (!wanted.value) return undefined;
  void language.value;
  const icon = document.querySelector<HTMLLinkElement>("link[rel=apple-touch-icon]")?.href ?? "";
  const words = { account: whose, title: siteName(), sign: text("newMessage"), urgent: text("newUrgent"), icon };
  return { ...words, quiet: hearing.value.quiet };
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

/** settle tells whether the browser is told of messages from now on. */
async function settle(wants: boolean): Promise<boolean> {
  const { pushManager } = await navigator.serviceWorker.ready;
  const had = await pushManager.getSubscription();
  if (!wants) {
    if (had) await end(client, had);
    return false;
  }
  const key = await keyOf(client);
  if (key === undefined) return false;
  let subscription = had;
  if (had && !isOf(had, key)) { // of another server, or of one that was set up anew
    await had.unsubscribe();
    subscription = null;
  }
  subscription ??= await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  const { endpoint, keys } = subscription.toJSON();
  if (!endpoint || !keys?.["p256dh"] || !keys["auth"]) return false;
  await client.subscribe({ endpoint, keys: { p256dh: keys["p256dh"], auth: keys["auth"] } });
  return true;
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
