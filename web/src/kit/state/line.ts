// The line to the server. After a sleep its connections may be dead, which nobody is told of.
import { heard } from "../../text/clock";

const doubtful = 3000; // milliseconds after a sleep, within which
const patience = 1200; // milliseconds without an answer mean that a connection is dead

let slept = -Infinity;
let cut = new AbortController();

/** renew gives up what waits for an answer, and with it the connections. What may be asked twice is, by the client. */
export function renew(): void {
  slept = performance.now();
  cut.abort(new TypeError("the computer has slept"));
  cut = new AbortController();
}

/** ask is fetch, and hears from each answer what time it is. */
export async function ask(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const asked = performance.now();
  const signals = init.signal ? [init.signal] : [];
  const late = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  if (mayRepeat(input, init)) {
    signals.push(cut.signal, late.signal);
    if (asked - slept < doubtful) timer = setTimeout(() => late.abort(new TypeError("no answer")), patience);
  }
  try {
    const answer = await fetch(input, { ...init, signal: AbortSignal.any(signals) });
    heard(answer.headers.get("Date"), asked, performance.now());
    return answer;
  } finally {
    clearTimeout(timer);
  }
}

/** mayRepeat tells whether a request does nothing, or nothing more, when it is made twice. */
function mayRepeat(input: RequestInfo | URL, { method = "GET" }: RequestInit): boolean {
  // A message has its Request-ID.
  return method === "GET" || /\/(events\/ack|message|message\/status|read)(\?|$)/.test(String(input));
}
