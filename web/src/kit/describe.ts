import { ConnectionError, SignetError } from "../client/index";
import { text, type Text } from "../text/text";

/** Declined says that the person did not do what a call needs first: to elevate the session. */
export class Declined extends Error {
  override readonly name = "Declined";
}

/** What the server refuses for reasons that people meet, in their own words. */
const refusals: Readonly<Record<string, Text>> = { name_fixed: "nameFixed", name_taken: "nameTaken" };

/** describe says in words for people why a call failed. What no call can answer is thrown on. */
export function describe(error: unknown): string {
  if (error instanceof SignetError) {
    const own = refusals[error.code];
    if (own) return text(own);
    return error.status === 429 ? text("tooManyRequests") : error.message;
  }
  // A page that fetches by itself gets a TypeError of the platform's.
  const cut = error instanceof ConnectionError || error instanceof TypeError || error instanceof DOMException;
  if (cut) return text("noConnection");
  if (error instanceof Declined) return text("declined");
  throw error;
}
