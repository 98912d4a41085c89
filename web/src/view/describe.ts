import { ConnectionError, SignetError } from "../client/index";
import { Declined } from "../state/elevation";
import { text } from "../text/text";

/** describe says in words for people why a call failed. What no call can answer is thrown on. */
export function describe(error: unknown): string {
  if (error instanceof SignetError) return error.status === 429 ? text("tooManyRequests") : error.message;
  // A page that fetches by itself gets a TypeError of the platform's.
  const cut = error instanceof ConnectionError || error instanceof TypeError || error instanceof DOMException;
  if (cut) return text("noConnection");
  if (error instanceof Declined) return text("console.declined");
  throw error;
}
