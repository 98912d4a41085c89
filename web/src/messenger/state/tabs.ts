// The tabs of one account. One of them has the event stream, and says to the others what it tells: a browser opens six
// connections to a server, of which each stream would take one for good. When that tab is closed, put to sleep or falls
// silent, another one takes its turn.
import type { SignetEvent } from "../../client/index";

/** What the tab that has the stream says. */
export type Word =
  | { say: "event"; event: SignetEvent }
  /** Events may have been lost: each tab asks anew for what it shows. */
  | { say: "missed" }
  /** Something was read on another device. */
  | { say: "read" }
  /** How things are. */
  | { say: "state"; offline: boolean; here: ReadonlyMap<string, boolean> };

/** What the others say: they ask how things are, or tell that the computer has slept. */
type Question = { say: "who" } | { say: "slept" };

/** What a tab does when. */
interface Part {
  /** Has the stream, until the signal. */
  hold: (signal: AbortSignal) => Promise<void>;
  hear: (word: Word) => void;
  state: () => Word;
  /** Another tab has noticed a sleep. */
  slept: () => void;
}

const often = 4000; // milliseconds between questions to the tab that has the stream
const silent = 3; // questions without an answer: it is there no more

export class Tabs {
  readonly #name: string;
  readonly #part: Part;
  readonly #locks = (navigator as { locks?: LockManager }).locks; // none without a secure connection
  readonly #channel: BroadcastChannel | undefined;
  #holding: AbortController | undefined;
  #waiting = new AbortController();
  #asleep: { ended: Promise<void>; end: () => void } | undefined;
  #unanswered = 0;

  constructor(account: string, part: Part) {
    this.#name = `signet-events-${account}`;
    this.#part = part;
    if (!this.#locks) return; // each tab has a stream of its own
    this.#channel = new BroadcastChannel(this.#name);
    this.#channel.onmessage = ({ data }: MessageEvent<Word | Question>) => this.#hear(data);
    document.addEventListener("freeze", () => this.#sleep());
    document.addEventListener("resume", () => this.#wake());
    addEventListener("pagehide", ({ persisted }) => persisted && this.#sleep()); // it may come back
    addEventListener("pageshow", ({ persisted }) => persisted && this.#wake());
    setInterval(() => this.#ask(), often);
    this.#channel.postMessage({ say: "who" } satisfies Question);
  }

  /** Whether this tab has the stream. */
  get holds(): boolean {
    return this.#holding !== undefined;
  }

  /** say tells the other tabs something, if this one has the stream. */
  say(word: Word): void {
    if (this.holds) this.#channel?.postMessage(word);
  }

  /** slept tells that the computer has: the tab with the stream may not have noticed. */
  slept(): void {
    if (!this.holds) this.#channel?.postMessage({ say: "slept" } satisfies Question);
  }

  /** takeTurns has the stream whenever it is this tab's turn. */
  async takeTurns(): Promise<void> {
    if (!this.#locks) return this.#hold();
    for (;;) {
      await this.#asleep?.ended;
      const steal = this.#unanswered >= silent;
      this.#unanswered = 0;
      this.#waiting = new AbortController();
      try {
        const way = steal ? { steal } : { signal: this.#waiting.signal };
        await this.#locks.request(this.#name, way, () => this.#hold());
      } catch (error) {
        this.#holding?.abort(error); // another tab has taken it
        this.#holding = undefined;
        if (!(error instanceof DOMException && error.name === "AbortError")) throw error;
      }
    }
  }

  async #hold(): Promise<void> {
    const holding = (this.#holding = new AbortController());
    try {
      this.say(this.#part.state());
      const left = new Promise<void>((resolve) => holding.signal.addEventListener("abort", () => resolve()));
      // Whoever leaves does not wait until the stream has ended: the page is about to stand still.
      await Promise.race([left, this.#part.hold(holding.signal)]);
    } finally {
      if (this.#holding === holding) this.#holding = undefined;
    }
  }

  #hear(said: Word | Question): void {
    if (said.say === "who") return this.say(this.#part.state());
    if (said.say === "slept") return this.holds ? this.#part.slept() : undefined;
    this.#unanswered = 0;
    if (!this.holds) this.#part.hear(said);
  }

  /** ask finds out whether the tab that has the stream is still there. */
  #ask(): void {
    if (this.holds || this.#asleep) return;
    if (++this.#unanswered >= silent) this.#waiting.abort(); // and takes its place
    else this.#channel?.postMessage({ say: "who" } satisfies Question);
  }

  #sleep(): void {
    if (this.#asleep) return;
    let end = () => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    this.#asleep = { ended, end };
    this.#holding?.abort();
    this.#holding = undefined;
    this.#waiting.abort();
  }

  #wake(): void {
    this.#unanswered = 0;
    this.#asleep?.end();
    this.#asleep = undefined;
  }
}
