import { delay, passing, pause } from "./retry.js";

const gather = 100; // milliseconds that the first of a batch waits for others
const batch = 1000; // ids in a call
const last = 3000; // milliseconds that the last batch may take when the stream has ended

/**
 * Acknowledger acknowledges a stream's events behind the consumer's back, so that the consumer
 * does not wait for it. What could not be acknowledged comes again with the next stream.
 */
export class Acknowledger {
  #pending: string[] = [];
  #running: Promise<void> | undefined;
  readonly #closing = new AbortController(); // ends the waits
  readonly #given = new AbortController(); // ends the calls

  /** refused is told when the server refuses acknowledgements for good. */
  constructor(
    private readonly send: (ids: string[], signal: AbortSignal) => Promise<unknown>,
    private readonly pauses: { minDelay: number; maxDelay: number },
    private readonly refused: (error: unknown) => void,
  ) {}

  /** add notes that the consumer is done with an event. */
  add(id: string): void {
    this.#pending.push(id);
    this.#running ??= this.#run();
  }

  /** close acknowledges what is pending, if that takes no more than 3 seconds. */
  async close(): Promise<void> {
    this.#closing.abort();
    const timer = setTimeout(() => this.#given.abort(), last);
    await this.#running;
    clearTimeout(timer);
  }

  async #run(): Promise<void> {
    for (let failures = 0; this.#pending.length > 0; ) {
      const wait = failures > 0 ? delay(this.pauses, failures) : gather;
      await pause(wait, this.#closing.signal).catch(() => undefined);
      const ids = this.#pending.slice(0, batch);
      try {
        await this.send(ids, this.#given.signal);
        this.#pending.splice(0, ids.length);
        failures = 0;
      } catch (error) {
        failures++;
        if (this.#closing.signal.aborted) break; // they come again
        if (!passing(error)) {
          this.refused(error);
          break;
        }
      }
    }
    this.#running = undefined;
  }
}
