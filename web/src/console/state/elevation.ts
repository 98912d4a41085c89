// Administrative calls: a session is elevated for a quarter of an hour with the account's password, or with a key.
import { signal } from "@preact/signals";
import { Declined } from "../../kit/describe";
import { client, resume, session } from "../../kit/state/session";
import { time } from "../../text/clock";

/** Who waits for the session to be elevated; undefined while nobody does. */
export const asking = signal<{ done: () => void; refuse: () => void } | undefined>(undefined);

let waiting: Promise<boolean> | undefined;

/** ask has the person elevate the session. Several calls of one page ask once. */
export function ask(): Promise<boolean> {
  waiting ??= new Promise<boolean>((resolve, reject) => {
    asking.value = { done: () => resolve(true), refuse: () => reject(new Declined("not elevated")) };
  }).finally(() => {
    asking.value = undefined;
    waiting = undefined;
  });
  return waiting;
}

/**
 * needElevation is for calls that do not say that they take an elevated session: to others they answer as if what they
 * name did not exist.
 */
export async function needElevation(): Promise<void> {
  const until = session.value?.elevated_until;
  if (!until || Date.parse(until) <= time()) await ask();
}

/** elevate elevates the session with the account's password. */
export async function elevate(password: string): Promise<void> {
  await client.elevateSession({ password });
  await resume();
}

/** elevateWithKey elevates the session with an administrative key of the account. */
export async function elevateWithKey(key: string, secret: string): Promise<void> {
  await client.elevateSession({ key, secret });
  await resume();
}

/** lower gives the elevation up. */
export async function lower(): Promise<void> {
  await client.lowerSession();
  await resume();
}
