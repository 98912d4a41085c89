/** A refusal by the server (contract, section 1). docs/api/errors.md lists the codes. */
export class SignetError extends Error {
  override readonly name = "SignetError";

  constructor(
    /** The call, such as `POST /v2/message`. */
    readonly call: string,
    /** The status of HTTP. */
    readonly status: number,
    /** Stable and documented, such as `recipient_required`; empty if a proxy answered. */
    readonly code: string,
    message: string,
    /** The request field at fault, where one is. */
    readonly field: string | undefined,
    /** What the operator finds the request by. */
    readonly requestID: string | undefined,
    /** How many milliseconds the server asks to wait; undefined if it does not say. */
    readonly retryAfter: number | undefined,
  ) {
    super(message);
  }
}

/** No answer came: there is no connection, or it was lost. `cause` is what the platform says. */
export class ConnectionError extends Error {
  override readonly name: string = "ConnectionError";
}

/** The attempt was given up because the server said nothing for too long. */
export class SilentError extends ConnectionError {
  override readonly name = "SilentError";
}

/** The server closed the stream, because the account has opened more than it may. */
export class TooManyStreamsError extends ConnectionError {
  override readonly name = "TooManyStreamsError";
}

/** An answer that is not one of the interface. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
}

/** What is longer than this tells no more about a refusal. */
const longestRefusal = 64 << 10;

/** refusal turns an answer that is no success into an error. */
export async function refusal(call: string, response: Response): Promise<SignetError> {
  let said: { code?: string; message?: string; field?: string; request_id?: string } = {};
  try {
    const text = await response.text();
    if (text.length <= longestRefusal) said = (JSON.parse(text) as { error?: typeof said }).error ?? {};
  } catch {
    // a proxy's page, or half an answer: the status tells
  }
  return new SignetError(
    call,
    response.status,
    said.code ?? "",
    said.message || response.statusText || `status ${response.status}`,
    said.field,
    said.request_id ?? response.headers.get("Request-Id") ?? undefined,
    retryAfter(response.headers),
  );
}

/** retryAfter reads both forms. A date is measured against the answer's own Date: the clocks may differ. */
function retryAfter(headers: Headers): number | undefined {
  const value = headers.get("Retry-After");
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const wait = Date.parse(value) - Date.parse(headers.get("Date") ?? "");
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}
