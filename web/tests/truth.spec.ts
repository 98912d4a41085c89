// What the screen says is what the server says, whatever happened to the line, the page and the clock: random walks.
import type { Message } from "#client";
import type { Person, Recipient } from "./fixtures/hospital.js";
import { Messenger } from "./fixtures/messenger.js";
import { random } from "./fixtures/random.js";
import type { Server } from "./fixtures/stage.js";
import { expect, test } from "./fixtures/test.js";
import { withTime } from "./fixtures/time.js";

/** A line of the list. */
interface Row {
  name: string;
  unread: number;
  /** How far the last message got, which is shown of an own one where nothing is unread. */
  status: string;
  last: string;
}

/** What a tab shows. */
interface Screen {
  title: string;
  heading: string;
  rows: Row[];
  /** The messages of the open conversation that are in the document. */
  messages: { id: string; status: string; words: string }[];
  end: boolean; // with the newest
}

const look = (): Screen => {
  const words = (of: Element | null | undefined) => of?.textContent?.trim() ?? "";
  const label = (of: Element, which: RegExp) =>
    [...of.querySelectorAll("[role=img]")].map((e) => e.getAttribute("aria-label") ?? "").find((l) => which.test(l)) ?? "";
  const status = /^(Sending…|Sent|Delivered|Read)$/;
  return {
    title: document.title,
    heading: words(document.querySelector("main h2")),
    rows: [...document.querySelectorAll("ul.conversations button")].map((row) => ({
      name: words(row.querySelector(".name bdi")),
      unread: parseInt(label(row, /unread messages?$/) || "0", 10),
      status: label(row, status),
      last: words(row.querySelector(".last")),
    })),
    messages: [...document.querySelectorAll<HTMLElement>(".messages .message")].map((message) => ({
      id: message.dataset["id"] ?? "",
      status: label(message, status),
      words: words(message.querySelector(".bubble")),
    })),
    end: document.querySelector(".to-end") === null,
  };
};

const shown = { New: "Sent", Delivered: "Delivered", Read: "Read" };
const recalled = "This message was recalled.";

class Walk {
  readonly steps: string[] = [];
  #below: (n: number) => number;
  #n = 0;
  #own: { id: string; by: Person }[] = []; // what may be taken back
  #ends: number[] = []; // of what lasts for a minute, in milliseconds since 1970

  constructor(
    readonly server: Server, readonly alice: Person, readonly others: readonly Person[], readonly ward: Recipient,
    readonly tabs: readonly Messenger[], seed: number,
  ) {
    this.#below = random(seed);
  }

  /** step does something by chance, and holds all tabs to what the server says. */
  async step(): Promise<void> {
    const ways = [
      this.#comes, this.#comes, this.#comes, this.#brief, this.#recall, this.#write, this.#write, this.#open, this.#open,
      this.#elsewhere, this.#readsOwn, this.#cut, this.#sleep, this.#die, this.#clock, this.#reload,
    ];
    await ways[this.#below(ways.length)]?.call(this);
    await this.hold();
  }

  async hold(): Promise<void> {
    const over = this.#ends.filter((end) => end <= Date.now());
    if (over.length > 0) {
      // Of what ends in a conversation that is not loaded the page learns when somebody comes back to it.
      this.#ends = this.#ends.filter((end) => !over.includes(end));
      for (const tab of this.tabs) await tab.comeBack();
    }
    for (const tab of this.tabs) {
      await expect(async () => {
        const { results } = await this.alice.client.getConversations();
        const screen = await tab.page.evaluate(look);
        const why = `after\n${this.steps.slice(-10).join("\n")}`;
        const rows = results.map(({ entity, unread_count, last_message }): Row => {
          const own = last_message?.sender_token === this.alice.token && !last_message.is_recalled && unread_count === 0;
          return {
            name: entity.display_name,
            unread: unread_count,
            status: own ? shown[last_message.status] : "",
            last: last_message ? (last_message.is_recalled ? recalled : (last_message.body ?? "")) : "",
          };
        });
        const said = screen.rows.map((row) => ({ ...row, last: row.last.replace(/^(You|Bob|Carol|Alice):\s+/, "") }));
        expect(said, why).toEqual(rows);
        const sum = rows.reduce((all, { unread }) => all + unread, 0);
        expect(screen.title, why).toBe(sum > 0 ? `(${sum}) Signet` : "Signet");
        const open = results.find(({ entity }) => tab.page.url().includes(entity.token));
        expect(screen.heading, why).toBe(open?.entity.display_name ?? "");
        if (open) await this.#holdMessages(screen, open.entity.token, why);
      }).toPass({ timeout: 30_000, intervals: [100, 250, 500] });
    }
  }

  /** holdMessages compares what is in the document of a conversation: a part of it without a gap, with its end if so. */
  async #holdMessages({ messages, end }: Screen, token: string, why: string): Promise<void> {
    const { results } = await this.alice.client.getHistory(token, { limit: 200 });
    const all = results.reverse();
    const from = all.findIndex(({ message_id }) => message_id === messages[0]?.id);
    const part = messages.length === 0 ? [] : all.slice(from, from + messages.length);
    const as = ({ message_id: id, sender_token, status, is_recalled, body }: Message) => ({
      id, status: sender_token === this.alice.token && !is_recalled ? shown[status] : "",
      words: expect.stringContaining(is_recalled ? recalled : (body ?? "")) as unknown,
    });
    expect(messages, why).toEqual(part.map(as));
    if (end) expect(messages.at(-1)?.id, why).toBe(all.at(-1)?.message_id);
  }

  #someone(): Person {
    return this.others[this.#below(this.others.length)] ?? this.alice;
  }

  #tab(): Messenger {
    const tab = this.tabs[this.#below(this.tabs.length)];
    if (!tab) throw new Error("there is no tab");
    return tab;
  }

  async #say(options: { ttl?: number } = {}): Promise<void> {
    const by = this.#someone();
    const to = this.#below(3) === 0 ? this.ward : this.alice;
    const body = `Message ${++this.#n}`;
    this.steps.push(`${by.name} sends ${to === this.ward ? "to the ward " : ""}${body} ${JSON.stringify(options)}`);
    const id = await by.tell(to, { body, ...options });
    if (options.ttl === undefined) this.#own.push({ id, by });
    else this.#ends.push(Date.now() + options.ttl * 60_000);
  }

  async #comes(): Promise<void> {
    await this.#say();
  }

  async #brief(): Promise<void> {
    await this.#say({ ttl: 1 });
  }

  async #recall(): Promise<void> {
    const [wrong] = this.#own.splice(this.#below(this.#own.length), 1);
    if (!wrong) return;
    this.steps.push("one is taken back");
    await wrong.by.client.recallMessage(wrong.id);
  }

  async #write(): Promise<void> {
    const tab = this.#tab();
    if (!(await tab.field.isVisible())) return;
    this.steps.push(`Alice writes Message ${++this.#n}`);
    await tab.write(`Message ${this.#n}`);
  }

  async #open(): Promise<void> {
    const name = ["Bob Brown", "Carol Clarke", "Ward 3"][this.#below(3)] ?? "";
    const i = this.#below(this.tabs.length);
    this.steps.push(`tab ${i} opens ${name}`);
    await this.tabs[i]?.open(name);
  }

  /** elsewhere has another device of hers read, or send. */
  async #elsewhere(): Promise<void> {
    const with_ = this.#below(2) ? this.#someone() : this.ward;
    if (this.#below(2)) {
      const body = `Message ${++this.#n}`;
      this.steps.push(`another device sends ${body}`);
      await this.alice.tell(with_, body);
      return;
    }
    this.steps.push("another device reads");
    await this.alice.read(with_);
    for (const tab of this.tabs) await tab.comeBack();
  }

  /** readsOwn has others read what Alice wrote. */
  async #readsOwn(): Promise<void> {
    const by = this.#someone();
    const in_ = this.#below(2) ? this.ward : this.alice;
    this.steps.push(`${by.name} reads`);
    await by.read(in_);
  }

  /** meanwhile does a few things while the pages do not hear of them. */
  async #meanwhile(): Promise<void> {
    for (let i = this.#below(4); i >= 0; i--) {
      const ways = [this.#comes, this.#recall, this.#readsOwn];
      await ways[this.#below(ways.length)]?.call(this);
    }
  }

  async #cut(): Promise<void> {
    this.steps.push("the line is cut");
    await this.server.cut();
    await this.#meanwhile();
    if (this.#below(2)) await this.#write();
    await this.server.mend();
    this.steps.push("it is mended");
  }

  /** sleep has a tab stand still, as browsers do with those that nobody looks at. */
  async #sleep(): Promise<void> {
    const i = this.#below(this.tabs.length);
    this.steps.push(`tab ${i} stands still`);
    const { page } = this.tabs[i] ?? this.#tab();
    const session = await page.context().newCDPSession(page);
    await session.send("Page.setWebLifecycleState", { state: "frozen" });
    await this.#meanwhile();
    await session.send("Page.setWebLifecycleState", { state: "active" });
    await session.detach();
    this.steps.push("it goes on");
  }

  /** die has the computer sleep: its connections die, and its clock goes on. */
  async #die(): Promise<void> {
    this.steps.push("the computer sleeps");
    await this.server.kill();
    await this.#meanwhile();
    const to = (100 + this.steps.length) * 3_600_000; // later than it ever was
    for (const { page } of this.tabs) await page.evaluate((to) => window.setClock(to), to);
    this.steps.push("it is awake");
  }

  async #clock(): Promise<void> {
    const to = (this.#below(5) - 2) * 7_200_000;
    this.steps.push(`the clock is set to ${to}`);
    for (const { page } of this.tabs) await page.evaluate((to) => window.setClock(to), to);
    await this.#meanwhile();
  }

  async #reload(): Promise<void> {
    const i = this.#below(this.tabs.length);
    this.steps.push(`tab ${i} is loaded anew`);
    const tab = this.tabs[i];
    await tab?.page.reload();
    await tab?.isUpToDate();
  }
}

test.use({ trace: "off", serve: ["--limits.messages-per-day=0"] });

for (const { seed, steps } of [{ seed: 1, steps: 200 }, { seed: 2, steps: 200 }]) {
  const title = `two tabs say what the server says over ${steps} steps from ${seed}`;

  test(title, async ({ server, hospital, open }) => {
    test.setTimeout(900_000);
    const { alice, bob, carol } = await hospital({ alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clarke" });
    const ward = await alice.client.createGroup({ name: "Ward 3", members: [bob.token, carol.token] });
    await alice.tell(ward, "Message 0");
    for (const person of [bob, carol]) await person.tell(alice, "Good morning.");
    const first = new Messenger(await open(alice, "/healthz"));
    const second = new Messenger(await first.page.context().newPage());
    for (const { page } of [first, second]) {
      await withTime(page);
      await page.goto("/");
    }
    const walk = new Walk(server, alice, [bob, carol], ward, [first, second], seed);
    await walk.hold();
    for (let i = 0; i < steps; i++) await test.step(`step ${i}`, () => walk.step());
    expect(walk.steps.length).toBeGreaterThan(steps / 2);
  });
}
