// Administrative calls: a session is elevated for a quarter of an hour with the account's password, or with a key. The
// console knows when it is, and asks the person before it makes a call: a refusal in the audit log is always somebody's.
import { effect, signal } from "@preact/signals";
import type { ClientOptions } from "../../client/index";
import { Declined } from "../../kit/describe";
import { client, offline, resume, resumeAll, session } from "../../kit/state/session";
import { time } from "../../text/clock";

/** Who waits for the session to be elevated; undefined while nobody does. */
export const asking = signal<{ done: () => void; refuse: () => void } | undefined>(undefined);

/** How long before its end, in milliseconds, an elevation counts for nothing: a call takes time, and clocks differ. */
const margin = 5000;

/** What everybody calls, and who is not elevated: the session itself, and a first password, without which nobody elevates. */
const open = /^(?!v2\/)|^v2\/(session|brand|user\/me\/password)(\/|$)/;

/** elevated tells whether the session is, as far as the page knows, by the server's clock. */
export function elevated(): boolean {
  const until = session.value?.elevated_until;
  return until !== undefined && Date.parse(until) - time() > margin;
}

let over: ReturnType<typeof setTimeout> | undefined;

/** Once its time is over, the session is shown as it is; nobody has to ask the server for that. */
effect(() => {
  clearTimeout(over);
  const until = session.value?.elevated_until;
  if (until === undefined) return;
  over = setTimeout(() => {
    if (!session.value) return;
    const { elevated_until, ...rest } = session.value;
    session.value = rest;
  }, Date.parse(until) - time());
});

/** beforeCall has the session elevated before a call is made. One that must not ask the person is not made then. */
export const beforeCall: NonNullable<ClientOptions["beforeCall"]> = async ({ path, options }) => {
  const who = session.value;
  if (!who || elevated() || open.test(path.join("/"))) return;
  if (!who.operator && who.administrator_of.length === 0) return; // nothing is open to her that an elevation opens
  if (options?.elevate === false) throw new Declined("not elevated");
  await elevation();
};

/** onElevationRequired is for what the page did not know: that the session was lowered elsewhere. */
export const onElevationRequired = async (): Promise<boolean> => {
  await elevation();
  return true;
};

let waiting: Promise<void> | undefined;

/** elevation waits until the session is elevated. Several calls of one page ask once. */
export function elevation(): Promise<void> {
  waiting ??= find().finally(() => (waiting = undefined));
  return waiting;
}

/** find looks whether the session was elevated in another tab, and else asks the person. */
async function find(): Promise<void> {
  await resume();
  if (elevated() || offline.value) return; // without a connection the call itself will say so
  let stop: (() => void) | undefined;
  await new Promise<void>((resolve, reject) => {
    asking.value = { done: resolve, refuse: () => reject(new Declined("not elevated")) };
    stop = effect(() => void (elevated() && resolve())); // in another tab, meanwhile
  }).finally(() => {
    stop?.();
    asking.value = undefined;
  });
}

/** elevate elevates the session with the account's password. */
export async function elevate(password: string): Promise<void> {
  await client.elevateSession({ password });
  await resumeAll();
}

/** elevateWithKey elevates the session with an administrative key of the account. */
export async function elevateWithKey(key: string, secret: string): Promise<void> {
  await client.elevateSession({ key, secret });
  await resumeAll();
}

/** lower gives the elevation up. */
export async function lower(): Promise<void> {
  await client.lowerSession();
  await resumeAll();
}
