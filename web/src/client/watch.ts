import { ConnectionError, SilentError } from "./error.js";

/**
 * Watch ends an attempt when nothing moves for a while, and no sooner: a deadline for the whole
 * would cut long transfers off. It ends with the caller's signal too.
 */
export class Watch {
  readonly #controller = new AbortController();
  readonly #abort = () => this.#controller.abort(this.#caller?.reason);
  readonly #caller: AbortSignal | undefined;
  readonly #patience: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** patience is in milliseconds; 0: for ever. */
  constructor(patience: number, caller?: AbortSignal) {
    this.#patience = patience;
    this.#caller = caller;
    if (caller?.aborted) this.#abort();
    caller?.addEventListener("abort", this.#abort);
    this.touch();
  }

  /** Of the attempt. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** touch starts the patience anew. */
  touch(): void {
    this.rest();
    if (this.#patience > 0 && !this.signal.aborted) {
      this.#timer = setTimeout(() => this.#controller.abort(new SilentError("the server is silent")), this.#patience);
    }
  }

  /** rest suspends the watch while it is not the server that is waited for. */
  rest(): void {
    clearTimeout(this.#timer);
  }

  /** stop ends the watch, and what is left of the attempt. */
  stop(): void {
    this.rest();
    this.#caller?.removeEventListener("abort", this.#abort);
    this.#controller.abort();
  }
}

/** lost returns why an attempt failed: the caller's or the watch's reason where one of them ended it. */
export function lost(error: unknown, watch: Watch): unknown {
  if (watch.signal.aborted) return watch.signal.reason;
  return new ConnectionError("the connection was lost, or not made", { cause: error });
}
