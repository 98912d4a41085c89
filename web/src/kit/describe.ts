import { ConnectionError, SignetError } from "../client/index";
import { left } from "../text/format";
import { isText, text } from "../text/text";
import { Told } from "./state/told";

/** Declined says that the person did not do what a call needs first: to elevate the session. */
export class Declined extends Error {
  override readonly name = "Declined";
}

/** Codes that say to a person what another one says. */
const alike: Readonly<Record<string, string>> = {
  max_ttl_invalid: "ttl_invalid",
  not_administrator: "not_allowed",
  operator_required: "not_allowed",
  too_many_bodies: "unavailable",
  too_many_passwords: "unavailable",
  uploads_busy: "unavailable",
};

/** refusal says why the server refused: in its own words, which are English, where the pages have none for the code. */
function refusal({ code, status, retryAfter = 60_000, requestID = "", message }: SignetError): string {
  if (code === "name_fixed") return text("nameFixed");
  const name = `problem.${alike[code] ?? code}`;
  if (isText(name)) return text(name, { span: left(retryAfter / 1000), id: requestID });
  if (status === 429) return text("tooManyRequests");
  // A proxy answers for a server that it does not reach.
  if (status >= 500 && isText("problem.unavailable")) return text("problem.unavailable");
  return message;
}

/** describe says in words for people why a call failed. What no call can answer is thrown on. */
export function describe(error: unknown): string {
  if (error instanceof SignetError) return refusal(error);
  if (error instanceof Told) return error.words();
  // A page that fetches by itself gets a TypeError of the platform's.
  const cut = error instanceof ConnectionError || error instanceof TypeError || error instanceof DOMException;
  if (cut) return text("noConnection");
  if (error instanceof Declined) return text("declined");
  throw error;
}
