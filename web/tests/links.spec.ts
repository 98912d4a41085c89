// Addresses and quoted lines in what people wrote: what is linked, and that no text takes long.
import { expect, test } from "@playwright/test";
import { type Piece, pieces } from "../src/messenger/state/links.js";
import { blocks } from "../src/messenger/state/quotes.js";
import { random } from "./fixtures/random.js";

const links = (text: string) => pieces(text).filter((piece) => typeof piece !== "string");
const linked = (text: string) => links(text).map((link) => link.text);
const whole = (found: Piece[]) => found.map((piece) => (typeof piece === "string" ? piece : piece.text)).join("");

for (const [text, ...want] of [
  ["请看https://example.com/a，谢谢", "https://example.com/a"],
  ["请看https://example.com/a。谢谢", "https://example.com/a"],
  ["（见https://example.com/a）和「https://example.com/b」", "https://example.com/a", "https://example.com/b"],
  ["“https://example.com/a”说", "https://example.com/a"],
  ["https://example.com/a、https://example.com/b……好", "https://example.com/a", "https://example.com/b"],
  ["https://ja.wikipedia.org/wiki/レオナルド・ダ・ヴィンチ。", "https://ja.wikipedia.org/wiki/レオナルド・ダ・ヴィンチ"],
  ["https://例え.jp/佐々木。", "https://例え.jp/佐々木"],
  ["هل رأيت https://example.com/a؟ نعم، https://example.com/b، شكرا", "https://example.com/a", "https://example.com/b"],
  ["यहाँ https://example.com/a। वहाँ https://example.com/b॥", "https://example.com/a", "https://example.com/b"],
  ["មើល https://example.com/a។សូម", "https://example.com/a"],
  ["It is at https://en.wikipedia.org/wiki/Sepsis_(disease).", "https://en.wikipedia.org/wiki/Sepsis_(disease)"],
  ["(see https://en.wikipedia.org/wiki/Sepsis_(disease)).", "https://en.wikipedia.org/wiki/Sepsis_(disease)"],
  ["[bed](https://a.test/12)(https://b.test/12)", "https://a.test/12", "https://b.test/12"],
  ["Really?! https://a.test/?q=1,2;3!!! Or «https://b.test», ‘https://c.test’ …", "https://a.test/?q=1,2;3",
    "https://b.test", "https://c.test"],
  ["**https://a.test/** *https://b.test/c_d_* `https://c.test`", "https://a.test/", "https://b.test/c_d", "https://c.test"],
  ["mailto:ward3@a.test, tel:+15551234567.", "mailto:ward3@a.test", "tel:+15551234567"],
  ["Call +49 171 1234567, or mail lab@example.org.", "+49 171 1234567", "lab@example.org"],
  ["(+49 (0)30 / 450-0) +1 (555) 123-4567; +33\u00a01\u202f23\u202f45\u202f67\u202f89!", "+49 (0)30 / 450-0", "+1 (555) 123-4567",
    "+33\u00a01\u202f23\u202f45\u202f67\u202f89"],
  ["请联系lab@example.org。电话+86 10 1234 5678谢谢", "lab@example.org", "+86 10 1234 5678"],
  ["<jürgen.o'neil+ward-3@st-elisabeth.example.org>, 'bob@a.test' \"c@a.test\"", "jürgen.o'neil+ward-3@st-elisabeth.example.org",
    "bob@a.test", "c@a.test"],
  ["mail:a_b@bücher.test...", "a_b@bücher.test"],
  // Numbers of other kinds, and what is no address.
  ["K+ 5.1 1234567, K+51234567, +5 +3, Rh+, +1 2 3, 2+2345678, +1234567890123456, +4917112345678x, +49171@1234567"],
  ["@alice, a@b, a@b.1, a@@b.test, a@b@c.test, //a@b.test, .@b.test, a.@b.test, a@.test, a@-b.test, a@b..test"],
  ["http://[2001:db8::1]:8080/a]", "http://[2001:db8::1]:8080/a"],
  ["HTTPS://A.test/B", "HTTPS://A.test/B"],
  ["http://localhost:8080/ https://bücher.example/ https://пример.рф/ https://παράδειγμα.gr https://日本語.jp:8443/a",
    "http://localhost:8080/", "https://bücher.example/", "https://пример.рф/", "https://παράδειγμα.gr", "https://日本語.jp:8443/a"],
  // What could pass a host off as another one: others before it, numbers, what looks like a slash or like Latin letters.
  ["https://bank.test@a.test/ https://bank.test:1@a.test https://@a.test http://2130706433/ http://0x7f.1/ https:///a.test"],
  ["https://bank.test%2ea.test/ https://bank.test∕login.a.test/ https://bank.test⁄a.test https://bank.test\u01c3a.test/ok",
    "https://bank.test\u01c3a.test/ok"],
  ["https://раypal.test/ https://αpple.test https://example.раypal.test/"],
  ["https://a.test/\u202egpj.exe https://b.test/c\u200e. https://c.test\u2067/d \u2066https://d.test/e\u2069",
    "https://a.test/", "https://b.test/c", "https://c.test", "https://d.test/e"],
  ["https:// http://. mailto: tel:… xhttps://a.test javascript:alert(1) data:,x"],
] as [string, ...string[]][]) {
  test(`linked in: ${text}`, () => {
    expect(linked(text)).toEqual(want);
    expect(whole(pieces(text))).toBe(text);
  });
}

// What stands around addresses, and what they are made of.
const schemes = ["https://", "http://", "HTTP://", "mailto:", "tel:"];
const blanks = [" ", "\n", "\t", "\u00a0", "\u3000"];
const wide = [..."。，、；：？！）」』】》〉”…．｡､〕〗", "。」", "）。", "……"];
const narrow = [..."?!.,;:'’»؟،؛।॥։۔", "...", ".)", "?!", ").", "'\""];
const opening = ["", " ", "(", "（", "「", "“", "[", "看", "、", "\n> "];
const scripts = ["bed-12", "a_b", "日本語", "佐々木", "ダ・ヴィンチ", "نادية", "समाचार", "ไทย", "q?x=1&y=2,3", "v1.2", "L’Oréal", "🛏"];
const any = [...schemes, ...blanks, ...wide, ...narrow, ...opening, ...scripts, "/", "((", "{", "}", "]", "a.test", "[::1]", "%", "\ud800", "@", "\u202e", "\u2067"];

// What no link has in it, and at its end.
const endsWithin = /[\s\p{Bidi_Control}。，、；：？！「」『』（）【】《》“”…<>"]/u;
const endsAfter = /[.,;:!?'’»؟،؛।॥։۔([{]$/u;

/** Dice makes texts by chance. */
class Dice {
  readonly #below: (n: number) => number;

  constructor(seed: number) {
    this.#below = random(seed);
  }

  one(of: readonly string[]): string {
    return of[this.#below(of.length)] ?? "";
  }

  /** some is up to so many of them. */
  some(most: number, make: () => string): string {
    return Array.from({ length: this.#below(most + 1) }, make).join("");
  }

  /** address is one whose path may have what ends others, in balanced brackets. */
  address(): string {
    const path = () => "/" + this.one(scripts) + this.some(1, () => `_(${this.one(scripts)})`);
    return `https://${this.one(["a.test", "例え.jp", "a.test:8080"])}${this.some(3, path)}`;
  }

  /** end is what comes after an address: scripts without blanks go on at once, others after one. */
  end(): string {
    const goesOn = this.one(wide) + this.one([...scripts, "", " and"]);
    return this.one([goesOn, this.one([...narrow, ""]) + this.one([...blanks, ""])]);
  }
}

/** faults are the links of a text that lead nowhere or have too much, and the text where it has lost something. */
function faults(text: string): unknown[] {
  const wrong: unknown[] = links(text).filter(({ href, text: shown }) => {
    const number = shown.startsWith("+");
    const whole = number ? `tel:${shown.replace("(0)", "").replace(/[^+\d]/g, "")}` : URL.canParse(shown) ? shown : `mailto:${shown}`;
    const leads = new URL(whole).href === href && ["http:", "https:", "mailto:", "tel:"].includes(new URL(href).protocol);
    const within = number ? /[^+\d\s()./-]/ : endsWithin;
    return !leads || new URL(href).username !== "" && href.startsWith("http") || within.test(shown) || endsAfter.test(shown);
  });
  return whole(pieces(text)) === text ? wrong : [...wrong, text];
}

for (const seed of [1, 2, 3]) {
  test(`an address is linked from its beginning to its end, whatever is around it (${seed})`, () => {
    const dice = new Dice(seed);
    const texts = Array.from({ length: 5000 }, () => {
      const address = dice.address();
      return { address, text: dice.one(["", "See ", "请看", "انظر "]) + dice.one(opening) + address + dice.end() };
    });
    expect(texts.filter(({ address, text }) => linked(text).join(" ") !== address)).toEqual([]);
  });

  test(`no text loses a letter, and what is linked leads somewhere (${seed})`, () => {
    const dice = new Dice(seed);
    const texts = Array.from({ length: 5000 }, () => dice.some(30, () => dice.one(any)));
    expect(texts.flatMap(faults)).toEqual([]);
  });
}

test("a telephone number is called as it stands, and mail goes to whom it names", () => {
  const hrefs = (text: string) => links(text).map(({ href }) => href);
  expect(hrefs("+49 (0)30 / 450-0, +1 (555) 123-4567")).toEqual(["tel:+49304500", "tel:+15551234567"]);
  expect(hrefs("jürgen@a.test, a+b@a.test")).toEqual(["mailto:j%C3%BCrgen@a.test", "mailto:a+b@a.test"]);
});

test("quoted lines are apart from others, and no other line is lost", () => {
  const plain = (text: string) => ({ quoted: false, text });
  const quote = (text: string) => ({ quoted: true, text });
  expect(blocks("a\n\n b\n")).toEqual([plain("a\n\n b\n")]);
  expect(blocks("> Bob:\n>Who?\n\nI.\n\n> When?\nNow.\n")).toEqual([quote("Bob:\nWho?"), plain("I."), quote("When?"), plain("Now.")]);
  expect(blocks("> a\n")).toEqual([quote("a")]);
  expect(blocks("a\rb\u2028c\n> d")).toEqual([plain("a\rb\u2028c"), quote("d")]);
  expect(blocks("")).toEqual([]);
});

/** cost returns how many microseconds of the processor something takes, at the best of some times. */
function cost(of: () => void): number {
  const times = Array.from({ length: 3 }, () => {
    const before = process.cpuUsage();
    of();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.min(...times);
}

// A text that is 256 times as long takes as long as 256 texts, or up to 8 times that, since it is beyond what the
// processor keeps at hand; where time goes by the square it takes 256 times that.
for (const [name, start, again, end] of [
  ["closing brackets", "https://a.test/", ")", ""],
  ["brackets closed and opened", "https://a.test/", ")(", ""],
  ["opening brackets", "https://a.test/", "(", ""],
  ["pairs of brackets", "https://a.test/", "()", ""],
  ["brackets of all kinds", "https://a.test/", "([{", ""],
  ["full stops", "https://a.test/", ".", ""],
  ["full stops before a letter", "https://a.test/", ".", "a"],
  ["schemes", "", "https://", ""],
  ["addresses that lead nowhere", "", "http://%", ""],
  ["addresses in each other", "", "https://a.test/(", ""],
  ["addresses that brackets end", "", "https://a.test)", ""],
  ["addresses that commas end", "", "https://a.test，", ""],
  ["mail", "", "mailto:a@", ""],
  ["signs of mail", "", "@", ""],
  ["names of mail", "", "a@", ""],
  ["mail without an end", "a@", "a.", ""],
  ["mail in mail", "", "a@a.test", ""],
  ["signs of a number", "", "+1", ""],
  ["numbers that are too long", "+", "1", ""],
  ["numbers", "", "+49 171 1234567 ", ""],
  ["a long word", "", "a", ""],
  ["empty lines", "> a\n", "\n", "a"],
  ["empty lines at the end", "> a\na", "\n", ""],
  ["empty lines in a quote", "a\n", ">\n", "> a"],
  ["lines and quotes", "", "a\n> b\n", ""],
] as const) {
  test(`a longer text takes longer by as much: ${name}`, () => {
    const text = (length: number) => start + again.repeat(length / again.length) + end;
    const [short, long] = [text(2 ** 12), text(2 ** 20)];
    const look = (text: string, times: number) => () => {
      for (let i = 0; i < times; i++) for (const block of blocks(text)) pieces(block.text);
    };
    expect(cost(look(long, 1)) / cost(look(short, 256))).toBeLessThan(45);
  });
}
