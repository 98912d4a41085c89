// A history stays where one reads, and at its end, whatever changes around it: random walks, held to a model.
import type { Locator, Page, Request } from "@playwright/test";
import type { Person } from "./fixtures/hospital.js";
import { Messenger } from "./fixtures/messenger.js";
import { png } from "./fixtures/png.js";
import { random } from "./fixtures/random.js";
import { expect, test } from "./fixtures/test.js";
import { withTime } from "./fixtures/time.js";

/** What is seen of the box of messages. */
interface Sight {
  hidden: boolean; // the details are in its place
  end: boolean; // the newest message is wholly in sight
  tops: Record<string, number>; // of all that is in the document, from the top of the box
  seen: { id: string; top: number }[]; // the first of which the beginning is seen comes first
}

/** Where the model says that the box is: at the end (undefined), or at these, of which the first that is left stays. */
type Place = Sight["seen"] | undefined;

const look = (box: Element): Sight => {
  const edge = box.getBoundingClientRect();
  const nodes = [...box.querySelectorAll<HTMLElement>("[data-id]")];
  const seen = [];
  const tops: Record<string, number> = {};
  for (const node of nodes) {
    const { top, bottom } = node.getBoundingClientRect();
    const id = node.dataset["id"] ?? "";
    tops[id] = top - edge.top;
    if (bottom > edge.top + 8 && top < edge.bottom) seen.push({ id, top: top - edge.top });
  }
  const [first, second] = seen;
  if (first && second && first.top < 0 && second.top < edge.height / 2) seen.splice(0, 2, second, first);
  const last = nodes.at(-1)?.getBoundingClientRect().bottom ?? edge.bottom;
  return { hidden: box.clientHeight === 0, end: last <= edge.bottom + 1, tops, seen };
};

/** frames waits until what was done is drawn, and what that caused. */
const frames = (box: Element) =>
  new Promise<void>((done) => {
    const next = (n: number) => (n ? requestAnimationFrame(() => next(n - 1)) : done());
    next(3);
    box.getBoundingClientRect();
  });

/** words are as long as chance has it. */
const words = (n: number | string, below: (n: number) => number) => `${n}: ${"The results of bed 12 are in. ".repeat(1 + below(9))}`;

class Walk {
  readonly messenger: Messenger;
  readonly box: Locator;
  #place: Place;
  #sent = 0;
  #stays: { id: string; words: string }[] = []; // what may be taken back
  #expires: string[] = [];
  #below: (n: number) => number;
  #width = 1280;
  #height = 800;
  #asked = new Set<Request>(); // for pages of older messages that have not come
  readonly steps: string[] = [];

  constructor(readonly page: Page, readonly bob: Person, readonly alice: Person, seed: number) {
    this.messenger = new Messenger(page);
    this.box = page.getByRole("region", { name: "Messages", includeHidden: true });
    this.#below = random(seed);
    page.on("request", (request) => request.url().includes("/message?before=") && this.#asked.add(request));
    page.on("requestfinished", (request) => this.#asked.delete(request));
    page.on("requestfailed", (request) => this.#asked.delete(request));
  }

  /** step does something by chance, and holds what is seen afterwards to the model. */
  async step(): Promise<void> {
    const ways = [
      this.#drag, this.#drag, this.#drag, this.#comes, this.#comes, this.#picture, this.#recall, this.#expire, this.#details,
      this.#theme, this.#textSize, this.#compose, this.#scroll, this.#scroll, this.#scroll, this.#toEnd, this.#keys,
    ];
    await ways[this.#below(ways.length)]?.call(this);
    await this.hold();
  }

  /** hold compares what is seen with the model, which goes on with what is seen then. */
  async hold(): Promise<void> {
    await this.box.evaluate(frames);
    let sight: Sight | undefined;
    await expect(async () => {
      sight = await this.box.evaluate(look);
      if (sight.hidden) return;
      const { tops, end } = sight;
      // The first is what one reads; or the next, where an older message came into the room above it.
      const moved = (this.#place ?? []).flatMap(({ id, top }) => (id in tops ? Math.abs((tops[id] ?? 0) - top) : []));
      if (!end) expect(Math.min(...moved.slice(0, 2)), this.#told()).toBeLessThan(0.75);
      if (!this.#place) expect(end, this.#told()).toBe(true);
    }).toPass({ timeout: 5_000, intervals: [50] });
    if (sight && !sight.hidden) this.#place = sight.end ? undefined : (this.#place ?? sight.seen);
  }

  #told(): string {
    return `${this.#place ? `at ${JSON.stringify(this.#place[0])}` : "at the end"} after\n${this.steps.slice(-8).join("\n")}`;
  }

  /** taken has the model take what is seen: somebody has scrolled. */
  async #taken(): Promise<void> {
    await this.box.evaluate(frames);
    const sight = await this.box.evaluate(look);
    this.#place = sight.end ? undefined : sight.seen;
  }

  /** drag changes the window as a dragged edge does: many times, faster than it is drawn. */
  async #drag(): Promise<void> {
    const width = this.#below(4) ? 340 + this.#below(1100) : this.#width;
    const height = this.#below(3) ? 420 + this.#below(500) : this.#height; // a keyboard comes, or goes
    this.steps.push(`drag from ${this.#width}×${this.#height} to ${width}×${height}`);
    const steps = 1 + this.#below(8);
    for (let i = 1; i <= steps; i++) {
      const part = (from: number, to: number) => Math.round(from + ((to - from) * i) / steps);
      await this.page.setViewportSize({ width: part(this.#width, width), height: part(this.#height, height) });
    }
    this.#width = width;
    this.#height = height;
  }

  async #comes(): Promise<void> {
    const body = words(`New ${++this.#sent}`, this.#below);
    const brief = this.#below(3) === 0;
    this.steps.push(`${brief ? "a brief message" : "a message"} comes: ${this.#sent}`);
    const id = await this.bob.tell(this.alice, { body, ...(brief && { ttl: 1 }) });
    if (brief) this.#expires.push(body);
    else this.#stays.push({ id, words: body });
    await this.#arrives(`New ${this.#sent}: `);
  }

  /** arrives waits until the list tells of it, and so the history has it. */
  async #arrives(beginning: string): Promise<void> {
    if (this.#width < 800) await this.page.waitForFunction((of) => document.body.textContent?.includes(of), beginning);
    else await expect(this.messenger.entry("Bob Brown")).toContainText(beginning);
  }

  /** picture sends one that takes its room when it has come. */
  async #picture(): Promise<void> {
    this.steps.push("a picture comes");
    const scan = new File([png(40 + this.#below(600), 40 + this.#below(900))], `scan-${++this.#sent}.png`, { type: "image/png" });
    await this.bob.tell(this.alice, { body: `New ${this.#sent}: a scan`, attachment: scan });
    await this.#arrives(`New ${this.#sent}: `);
  }

  async #recall(): Promise<void> {
    const [wrong] = this.#stays.splice(this.#below(this.#stays.length), 1);
    if (!wrong) return;
    this.steps.push(`taken back: ${wrong.words.slice(0, 12)}`);
    await this.bob.client.recallMessage(wrong.id);
    await this.page.waitForFunction((of) => !document.body.textContent?.includes(of), wrong.words);
  }

  /** expire has time go on until what was to last for a minute is over. */
  async #expire(): Promise<void> {
    this.steps.push(`${this.#expires.length} expire`);
    await this.page.evaluate(() => window.goOn(61_000));
    for (const over of this.#expires.splice(0)) {
      await this.page.waitForFunction((of) => !document.body.textContent?.includes(of), over);
    }
  }

  async #details(): Promise<void> {
    const details = this.messenger.details;
    const open = await details.isVisible();
    this.steps.push(open ? "the details close" : "the details open");
    if (open) await details.getByRole("button", { name: "Close" }).click();
    else await this.page.getByRole("button", { name: "Details", exact: true }).click();
    await expect(details).toBeVisible({ visible: !open });
  }

  async #theme(): Promise<void> {
    const colorScheme = this.#below(2) ? "dark" : "light";
    this.steps.push(`it gets ${colorScheme}`);
    await this.page.emulateMedia({ colorScheme });
  }

  async #textSize(): Promise<void> {
    const size = `${14 + this.#below(8)}px`;
    this.steps.push(`the text gets ${size}`);
    await this.page.evaluate((to) => (document.documentElement.style.fontSize = to), size);
  }

  /** compose writes lines that are not sent, or takes them away. */
  async #compose(): Promise<void> {
    const lines = "Line\n".repeat(this.#below(2) * this.#below(12));
    this.steps.push(`${lines.length / 5} lines are written`);
    if (await this.messenger.field.isVisible()) await this.messenger.field.fill(lines);
  }

  async #scroll(): Promise<void> {
    if ((await this.box.evaluate(look)).hidden) return;
    const by = this.#below(5) === 0 ? -40_000 : (this.#below(3) - 2) * this.#below(900) + this.#below(500);
    this.steps.push(`scrolled by ${by}`);
    await this.box.evaluate((box, y) => box.scrollBy(0, y), by);
    await this.#taken();
    await this.#olderHaveCome();
  }

  /** olderHaveCome waits for a page of older messages that was asked for: above what is read, which stays. */
  async #olderHaveCome(): Promise<void> {
    await expect.poll(() => this.#asked.size).toBe(0);
  }

  async #toEnd(): Promise<void> {
    const button = this.page.getByRole("button", { name: "Go to latest message" });
    if (!(await button.isVisible())) return;
    this.steps.push("to the end");
    await button.click();
    this.#place = undefined;
  }

  async #keys(): Promise<void> {
    if ((await this.box.evaluate(look)).hidden) return;
    const key = ["PageUp", "PageDown", "End"][this.#below(3)] ?? "End";
    this.steps.push(key);
    await this.box.focus();
    await this.page.keyboard.press(key);
    await this.#taken();
  }
}

// A walk says by itself what it did, and a trace of so many steps costs a quarter of its time. `--trace=on` makes one.
test.use({ trace: "off" });

for (const { seed, steps, slow } of [
  { seed: 1, steps: 200, slow: 1 },
  { seed: 3, steps: 100, slow: 4 },
]) {
  const title = `a history keeps its place over ${steps} steps from ${seed}, on a processor slowed ${slow} times`;

  test(title, async ({ hospital, open }) => {
    test.setTimeout(300_000);
    const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
    const below = random(seed);
    for (let i = 0; i < 320; i++) await bob.tell(alice, words(i, below));
    await alice.read(bob);
    const page = await open(alice, "/", { reducedMotion: "reduce" });
    await withTime(page);
    await page.goto(`/c/${bob.token}`);
    const session = await page.context().newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: slow });
    const walk = new Walk(page, bob, alice, seed);
    await walk.messenger.shows("Bob Brown");
    await expect(walk.messenger.message("319: ")).toBeVisible();
    for (let i = 0; i < steps; i++) await test.step(`step ${i}`, () => walk.step());
  });
}
