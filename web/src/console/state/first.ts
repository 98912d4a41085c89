// The link that a server prints at its first start: /console#first=SECRET.
import { client, resume } from "../../kit/state/session";

/** signInByLink signs the operator in whom the link has led here. It is false where the address has none. */
export async function signInByLink(): Promise<boolean> {
  const secret = /^#first=(.+)$/.exec(location.hash)?.[1];
  if (!secret) return false;
  history.replaceState(null, "", location.pathname + location.search); // it is good only once
  await client.startSession({ first_start: secret });
  await resume();
  return true;
}
