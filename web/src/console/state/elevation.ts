// Administrative calls: a session is elevated for a quarter of an hour with the account's password, or with a key.
import { signal } from "@preact/signals";
import { Declined } from "../../kit/describe";
import { client, resume } from "../../kit/state/session";

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
