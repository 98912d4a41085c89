// Administrative calls: a session is elevated for a quarter of an hour with the account's password, or with a key.
import { signal } from "@preact/signals";
import { SignetError } from "../../client/index";
import { Declined } from "../../kit/describe";
import { client, resume } from "../../kit/state/session";

/** Who waits for the session to be elevated; undefined while nobody does. */
export const asking = signal<{ done: () => void; refuse: () => void } | undefined>(undefined);

let waiting: Promise<void> | undefined;

/** administer makes a call, for which the session is elevated where it has to be. */
export async function administer<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof SignetError) || error.code !== "administrative_key_required") throw error;
  }
  // Several calls of one page ask once.
  waiting ??= new Promise<void>((resolve, reject) => {
    asking.value = { done: resolve, refuse: () => reject(new Declined("not elevated")) };
  }).finally(() => {
    asking.value = undefined;
    waiting = undefined;
  });
  await waiting;
  return call();
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
