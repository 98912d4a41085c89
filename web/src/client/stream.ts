import { Acknowledger } from "./acknowledge.js";
import { ConnectionError, ProtocolError, SignetError, TooManyStreamsError } from "./error.js";
import { delay, passing, pause } from "./retry.js";
import { Frames, type Frame } from "./sse.js";
import type { Call, CallOptions, Exchange } from "./transport.js";
import type { EventKind, SignetEvent } from "./types.js";
import { lost } from "./watch.js";

/** Which events to follow, and how. */
export interface StreamOptions extends CallOptions {
  /**
   * Acknowledges each event once the consumer has come back for the next one, in batches. If the
   * consumer ends the loop during an event, that event is not acknowledged and comes again with the
   * next stream: every event is handled at least once. Without it the consumer calls ackEvents, or
   * events come again.
   */
  acknowledge?: boolean;
  /** Skips what was seen up to this event, without acknowledging it. */
  lastEventID?: string;
  /** Also who is writing. */
  typing?: boolean;
  /** Also who is there when the stream begins, and who comes and goes. */
  presence?: boolean;
  /** Also the account's own messages. */
  selfCopies?: boolean;
  /** Makes messages Delivered when they are written to the stream. */
  deliver?: boolean;
  /** Not what is in the queue already, only what comes. */
  noReplay?: boolean;
  /** Ends after what is in the queue. */
  closeAfterReplay?: boolean;
  /** Also the events about the stream itself: advisories, heartbeats, the server's wish that clients reconnect. */
  signals?: boolean;
  /**
   * How often the server shows that it lives, in whole seconds: 1 to 60; 5 unless set. After three times
   * this without a word the connection counts as lost.
   */
  heartbeat?: number;
  /** Milliseconds before a new connection: 500 to 30,000 unless set, doubled with each that delivers nothing. */
  pauses?: { minDelay: number; maxDelay: number };
  /**
   * Told each time the connection is lost or cannot be made, and how many milliseconds the stream then waits.
   * After a TooManyStreamsError it reads the queue by polls meanwhile, where they can stand in for it.
   */
  onDisconnect?: (error: unknown, wait: number) => void;
  /** Told each time a connection is made, or polls begin to stand in for it. */
  onConnect?: () => void;
}

/** What a stream calls. */
export interface StreamCalls {
  once(call: Call): Promise<Exchange>;
  header(name: string): string;
  poll(options: CallOptions & { after?: string; wait: number }): Promise<SignetEvent[]>;
  ack(ids: string[], signal: AbortSignal): Promise<unknown>;
}

const longestWait = 5 * 60_000; // the longest Retry-After that is honoured

/**
 * How many milliseconds a stream stays closed, at least, that made room for another one of its account
 * (contract, limits). Those that were closed together do not come back together.
 */
const crowdedOut = { least: 60_000, jitter: 15_000 };

/** follow yields the account's events, over as many connections as it takes. */
export async function* follow(calls: StreamCalls, options: StreamOptions): AsyncGenerator<SignetEvent, void, void> {
  const { heartbeat = 5, pauses = { minDelay: 500, maxDelay: 30_000 }, signal } = options;
  if (!Number.isInteger(heartbeat) || heartbeat < 1 || heartbeat > 60) {
    throw new RangeError("a heartbeat is 1 to 60 whole seconds");
  }
  signal?.throwIfAborted();
  const stopping = new AbortController();
  const stop = () => stopping.abort(signal?.reason);
  signal?.addEventListener("abort", stop);
  const acknowledger = options.acknowledge
    ? new Acknowledger((ids, given) => calls.ack(ids, given), pauses, (error) => stopping.abort(error))
    : undefined;
  const place: Place = { lastID: options.lastEventID ?? "", retry: undefined, replayed: false, pollsTo: 0 };
  try {
    for (let failures = 0; ; ) {
      let why: unknown;
      try {
        const polling = performance.now() < place.pollsTo;
        const events = polling
          ? polled(calls, options, place, stopping.signal)
          : connection(calls, options, heartbeat, place, stopping.signal);
        for await (const event of events) {
          if (event.queued) failures = 0;
          if (options.signals || !isSignal(event.kind)) yield event;
          if (event.queued) acknowledger?.add(event.id);
          if (event.queued) place.lastID = event.id;
          if (event.kind === "reconnect") break;
        }
        if (polling) continue; // a connection may be made again
        if (options.closeAfterReplay && place.replayed) return;
        why = new ConnectionError("the server closed the stream");
      } catch (error) {
        why = error;
      }
      if (stopping.signal.aborted) throw stopping.signal.reason;
      if (!passing(why)) throw why;
      failures = why instanceof TooManyStreamsError ? 0 : failures + 1;
      const wait = waitAfter(why, failures, { ...pauses, minDelay: place.retry ?? pauses.minDelay });
      options.onDisconnect?.(why, wait);
      if (why instanceof TooManyStreamsError && canPoll(options, place)) place.pollsTo = performance.now() + wait;
      else await pause(wait, stopping.signal);
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    await acknowledger?.close();
  }
}

/** waitAfter returns how long the stream waits after an end of its connection. */
function waitAfter(why: unknown, failures: number, pauses: { minDelay: number; maxDelay: number }): number {
  if (why instanceof TooManyStreamsError) return crowdedOut.least + Math.random() * crowdedOut.jitter;
  if (why instanceof SignetError && why.retryAfter) {
    return Math.min(why.retryAfter, longestWait) + Math.random() * pauses.minDelay;
  }
  return delay(pauses, failures);
}

interface Place {
  lastID: string;
  retry: number | undefined;
  replayed: boolean;
  /** Until then polls stand in for a connection, by the clock that nobody sets (performance.now()). */
  pollsTo: number;
}

/** canPoll reports whether polls yield what the stream would, but for what is not queued. */
function canPoll(options: StreamOptions, place: Place): boolean {
  return !options.deliver && !options.closeAfterReplay && (!options.noReplay || place.lastID !== "");
}

/** polled yields what is queued, as long as the account has no stream to spare: the server does not count polls. */
async function* polled(
  calls: StreamCalls,
  { organization, onConnect }: StreamOptions,
  place: Place,
  signal: AbortSignal,
): AsyncGenerator<SignetEvent, void, void> {
  const options = { signal, ...(organization === undefined ? {} : { organization }) };
  let answered = false; // the first poll waits for nothing, so that it shows whether the server is there
  for (let left: number; (left = place.pollsTo - performance.now()) > 0; ) {
    const after = place.lastID === "" ? {} : { after: place.lastID };
    try {
      const wait = answered ? Math.min(Math.ceil(left / 1000), 60) : 0;
      yield* await calls.poll({ ...options, ...after, wait });
    } catch (error) {
      if (place.lastID === "" || !(error instanceof SignetError && error.code === "after_invalid")) throw error;
      place.lastID = ""; // of another history: as with a stream, all that is queued comes
      continue;
    }
    if (!answered) onConnect?.();
    answered = true;
  }
}

/** connection yields the events of one connection, until it ends. */
async function* connection(
  calls: StreamCalls,
  options: StreamOptions,
  heartbeat: number,
  place: Place,
  signal: AbortSignal,
): AsyncGenerator<SignetEvent, void, void> {
  const { response, watch } = await calls.once({
    method: "GET",
    path: ["v2", "events"],
    headers: {
      Accept: "text/event-stream",
      "Last-Event-ID": place.lastID || undefined,
      [calls.header("Features")]: features(options, heartbeat, place.lastID),
    },
    silence: 3000 * heartbeat,
    options: { ...options, signal },
  });
  try {
    if (!response.headers.get("Content-Type")?.startsWith("text/event-stream") || !response.body) {
      throw new ProtocolError("GET /v2/events: the answer is no event stream");
    }
    options.onConnect?.();
    const frames = new Frames();
    const reader = response.body.getReader();
    for (;;) {
      watch.touch();
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw lost(error, watch);
      });
      watch.rest(); // the consumer may take its time
      if (done) return;
      for (const frame of frames.push(value)) {
        const event = read(frame);
        place.replayed ||= event.kind === "client_advisory" && event.payload.advisory.name === "replay_stop";
        yield event;
        if (event.kind === "client_advisory" && event.payload.advisory.name === "too_many_streams") {
          throw new TooManyStreamsError("the account has too many event streams open"); // its pause is for this once
        }
        place.retry = frames.retry ?? place.retry; // not before: a line may come in a piece of its own
      }
    }
  } finally {
    watch.stop();
  }
}

function features(options: StreamOptions, heartbeat: number, lastID: string): string {
  const wanted = {
    [`heartbeat_${heartbeat}`]: true,
    "is-typing": options.typing,
    presence: options.presence,
    "presence-replay": options.presence,
    "self-copies": options.selfCopies,
    "auto-deliver": options.deliver,
    // Once an event has been seen, a new connection replays from there: else what came in between would be missed.
    "no-offline-messages": options.noReplay && lastID === "",
    "close-after-messages": options.closeAfterReplay,
  };
  return Object.keys(wanted).filter((feature) => wanted[feature]).join(",");
}

function isSignal(kind: EventKind): boolean {
  return kind === "client_advisory" || kind === "sse:heartbeat" || kind === "reconnect";
}

/** read turns a frame into an event. */
function read(frame: Frame): SignetEvent {
  return event(parse(frame.data), frame.id !== "");
}

function parse(text: string): { event_id: string; event: object } {
  try {
    return JSON.parse(text) as ReturnType<typeof parse>;
  } catch (error) {
    throw new ProtocolError("GET /v2/events: an event is no JSON", { cause: error });
  }
}

/** event turns the wire form, whose object has one member, into ours. */
export function event({ event_id, event }: { event_id: string; event: object }, queued: boolean): SignetEvent {
  const [type, payload] = Object.entries(event)[0] ?? ["", undefined];
  return { id: event_id, kind: type.slice(type.indexOf(":iq:") + ":iq:".length), payload, queued } as SignetEvent;
}
