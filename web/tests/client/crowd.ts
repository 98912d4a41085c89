// Many readers of one account, in a browser whose clock the test sets: browser.spec.ts runs this there.
import { Client } from "#client";

export interface CrowdCounts {
  /** Streams that were opened. */
  opened: number;
  polls: number;
  /** Why readers lost their connections, by the names of the errors. */
  lost: string[];
}

/** A reader's connection, which others may close. */
interface Open {
  write(text: string): void;
  close(): void;
}

/** Crowd plays a server whose account may have so many streams open: one more closes the oldest. */
export class Crowd {
  #opened = 0;
  #polls = 0;
  readonly #lost: string[] = [];
  readonly #queue: string[] = [];
  readonly #open = new Map<Open, (id: string) => void>(); // the oldest first, and what tells them of events
  readonly #waiting = new Set<() => void>(); // polls
  readonly #heard: string[][] = [];
  #told = () => {}; // when a reader has heard of something

  constructor(private readonly limit: number) {}

  counts(): CrowdCounts {
    return { opened: this.#opened, polls: this.#polls, lost: this.#lost };
  }

  /** join lets so many read, for ever. */
  join(readers: number): void {
    for (let i = 0; i < readers; i++) {
      const heard: string[] = [];
      this.#heard.push(heard);
      void this.#read(heard);
    }
  }

  async #read(heard: string[]): Promise<void> {
    const client = new Client({ fetch: (input, init) => this.#answer(String(input), init ?? {}) });
    const onDisconnect = (error: unknown) => this.#lost.push((error as Error).name);
    for await (const event of client.events({ onDisconnect })) {
      heard.push(event.id);
      this.#told();
    }
  }

  /** say queues an event, and waits until each reader has heard of all, once. */
  async say(id: string): Promise<void> {
    this.#queue.push(id);
    for (const tell of this.#open.values()) tell(id);
    for (const answer of this.#waiting) answer();
    const want = this.#queue.join();
    await new Promise<void>((resolve) => {
      this.#told = () => this.#heard.every((heard) => heard.join() === want) && resolve();
      this.#told();
    });
  }

  async #answer(url: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    if (headers.get("Accept") === "text/event-stream") return this.#stream(headers.get("Last-Event-ID") ?? "", init);
    const query = new URL(url).searchParams;
    return this.#poll(query.get("after") ?? "", Number(query.get("wait")));
  }

  #after(id: string): string[] {
    return this.#queue.slice(this.#queue.indexOf(id) + 1);
  }

  async #poll(after: string, wait: number): Promise<Response> {
    this.#polls++;
    if (wait > 0 && this.#after(after).length === 0) {
      await new Promise<void>((resolve) => {
        const answer = () => {
          this.#waiting.delete(answer);
          resolve();
        };
        this.#waiting.add(answer);
        setTimeout(answer, 1000 * wait);
      });
    }
    return Response.json({ status: "success", reply: this.#after(after).map(message) });
  }

  #stream(last: string, { signal }: RequestInit): Response {
    this.#opened++;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const open: Open = {
          write: (text) => controller.enqueue(new TextEncoder().encode(text)),
          close: () => {
            clearInterval(beat);
            this.#open.delete(open);
            controller.close();
          },
        };
        const beat = setInterval(() => open.write(live("sse:heartbeat", {})), 5000);
        signal?.addEventListener("abort", () => this.#open.has(open) && open.close());
        const tell = (id: string) => open.write(`id: ${id}\ndata: ${JSON.stringify(message(id))}\n\n`);
        this.#after(last).forEach(tell);
        this.#open.set(open, tell);
        const [oldest] = this.#open.keys();
        if (this.#open.size <= this.limit || !oldest) return;
        oldest.write("retry: 60000\n" + live("client_advisory", { advisory: { name: "too_many_streams" } }));
        oldest.close();
      },
    });
    return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
  }
}

function message(id: string): object {
  return { event_id: id, event: { "tigertext:iq:message": {} } };
}

function live(kind: string, payload: object): string {
  return `data: ${JSON.stringify({ event_id: "live", event: { [`tigertext:iq:${kind}`]: payload } })}\n\n`;
}
