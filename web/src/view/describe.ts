import { SignetError } from "../client/index";
import { text } from "../text/text";

/** describe says in words for people why a call failed. What no call can answer is thrown on. */
export function describe(error: unknown): string {
  if (error instanceof SignetError) return error.status === 429 ? text("tooManyRequests") : error.message;
  if (error instanceof TypeError || error instanceof DOMException) return text("noConnection");
  throw error;
}
