// The arithmetic of the overviews: figures on a grid, trends, ranges, units, and what is warned of.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { build } from "esbuild";
import { expect, test as base } from "./fixtures/test.js";

const local = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const parts = ["history", "ranges", "spark", "trend", "units", "warnings"];

/** bundle makes one script, for a browser, of what the overviews reckon with. */
async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: parts.map((part) => `export * from "./console/state/${part}";`).join(""),
      resolveDir: local("../src"),
      loader: "ts",
    },
    plugins: [{
      name: "words", // as bundle.mjs gives pages their words: here all of them
      setup: ({ onLoad }) => onLoad({ filter: /\.json$/ }, ({ path }) => ({ contents: readFileSync(path, "utf8"), loader: "json" })),
    }],
    bundle: true,
    format: "iife",
    globalName: "reckoning",
    write: false,
    logLevel: "error",
  });
  return String(outputFiles[0]?.text);
}

const test = base.extend<{ reckon: <T>(expression: string, zone?: string) => Promise<T> }>({
  reckon: async ({ open }, use) => {
    const script = await bundle();
    const pages = new Map<string, Promise<Page>>();
    await use(async (expression, zone = "Europe/Berlin") => {
      const page = pages.get(zone) ?? open(undefined, "/healthz", { timezoneId: zone });
      pages.set(zone, page);
      return (await page).evaluate(`${script}; { const { ${names.join(", ")} } = reckoning; ${expression} }`);
    });
  },
});

const names = [
  "align", "asked", "bytes", "chosen", "delay", "ended", "extend", "keysOf", "kinds", "last", "lineOf", "load", "mark", "mean", "moment", "nearest",
  "outlookOf", "ranges", "sparkOf", "sum", "things", "together", "topOf", "valuesOf", "warningsOf", "whole",
];

test("figures lie on a grid, and what nobody counted is a gap", async ({ reckon }) => {
  const asked = { since: "2026-11-21T08:00:30.000Z", until: "2026-11-21T08:05:30.000Z", step: 60 };
  const history = {
    times: ["2026-11-21T07:59:00.000Z", "2026-11-21T08:00:00.000Z", "2026-11-21T08:01:00.000Z", "2026-11-21T08:04:00.000Z"],
    series: { sent: [9, 1, null, 4], "storage_bytes.database": [9, 10, 20, 30], "storage_bytes.blobs": [9, 1, 2, null] },
  };
  const figures = `align(${JSON.stringify(history)}, ${JSON.stringify(asked)})`;
  const found = await reckon(`
    const figures = ${figures}, sent = figures.series.sent;
    [figures.times.map((time) => new Date(time * 1000).toISOString().slice(11, 16)), sent, together(figures, kinds),
      valuesOf(figures, "sent", 1000), valuesOf(figures, "nothing"), last(sent), sum(sent), mean(sent), whole([1, 2, 3]), whole([null, 3]), ended([1, 2])]`);
  expect(found).toEqual([
    ["08:00", "08:01", "08:02", "08:03", "08:04", "08:05"], [1, null, null, null, 4, null], [11, 22, null, null, null, null],
    [1000, null, null, null, 4000, null], [null, null, null, null, null, null], 4, 5, 2.5, [1, 2], [null, 3], [1, null],
  ]);
  const near = await reckon("[3, 10, 14, 15.1, 99, -5].map((time) => nearest([0, 10, 20], time)).concat(nearest([], 4), nearest([7], 4))");
  expect(near).toEqual([0, 1, 1, 2, 2, 0, 0, 0]);
});

test("a disk that fills up is told by the line of the last days, and no other", async ({ reckon }) => {
  const week = (room: string, stored: string) => `outlookOf({
    step: 3600,
    times: Array.from({ length: 169 }, (_, i) => i * 3600),
    series: { "storage_bytes.database": Array(169).fill(${stored}), "storage_bytes.free": Array.from({ length: 169 }, (_, i) => ${room}) },
  })`;
  const full = (room: string, stored = "100") =>
    reckon<number | undefined>(`const found = ${week(room, stored)}; found && found.full / 3600`);
  expect(await full("216 - i")).toBeCloseTo(168 + 48);
  expect(await full("i % 2 ? 221 - i : 211 - i")).toBeCloseTo(168 + 43, 0); // ups and downs are no growth
  expect(await full("i % 7 === 3 ? null : 216 - i")).toBeCloseTo(168 + 48);
  expect(await full("216")).toBeUndefined();
  expect(await full("216 + i")).toBeUndefined();
  expect(await full("216 - i / 1e6")).toBeUndefined(); // in thousands of years
  expect(await full("i < 160 ? null : 216 - i")).toBeUndefined(); // nine hours say nothing
  expect(await full("null")).toBeUndefined();
  expect(await full("216 - i", "null")).toBeUndefined();
  const line = await reckon(`const { capacity, line, full } = ${week("216 - i", "100")}; [capacity, line.at(168 * 3600), line.at(full)]`);
  expect(line).toEqual([148, expect.closeTo(100), expect.closeTo(148)]);
  const longer = "extend({ step: 10, times: [0, 10, 20, 30, 40] }, full).length";
  expect(await reckon(`[30, 45, 60, 61, 900].map((full) => ${longer})`)).toEqual([5, 6, 7, 5, 5]);
});

test("ranges end now and begin with a step", async ({ reckon }) => {
  const now = Date.parse("2026-11-21T08:15:30.123Z");
  expect(await reckon(`Object.values(ranges).map((range) => asked(range, ${now}))`)).toEqual([
    { since: "2026-11-21T07:15:00.000Z", until: "2026-11-21T08:15:30.123Z", step: 60 },
    { since: "2026-11-20T08:15:00.000Z", until: "2026-11-21T08:15:30.123Z", step: 60 },
    { since: "2026-10-22T08:00:00.000Z", until: "2026-11-21T08:15:30.123Z", step: 3600 },
    { since: "2025-11-21T00:00:00.000Z", until: "2026-11-21T08:15:30.123Z", step: 86400 },
  ]);
  const chosen = '["range=year", "range=toString", "range=", ""].map((query) => chosen(new URLSearchParams(query), ranges, "day"))';
  expect(await reckon(chosen)).toEqual(["year", "day", "day", "day"]);
});

test("figures are written in their units, and times where one is", async ({ reckon }) => {
  const figures = "[things.write(1234.4), things.brief(12345), bytes.write(3.5 * 2 ** 30), delay.write(0.43), delay.write(1234), load.write(0.034), load.write(1.5)]";
  const plain = (written: string) => written.replace(/\s/gu, " "); // browsers differ in their spaces
  expect((await reckon<string[]>(figures)).map(plain)).toEqual(["1,234", "12.3K", "3.5 GB", "0.43 ms", "1.23 sec", "3.4%", "150%"]);
  expect(await reckon("[topOf(things, 0), topOf(things, 100), topOf({ ...things, most: 1 }, 0.97)]")).toEqual([4, 110.00000000000001, 1]);
  const midnight = Date.parse("2026-11-21T00:00:00.000Z") / 1000;
  const marks = `[mark(${midnight}, 3600, 60), mark(${midnight - 3600}, 3600, 60), mark(${midnight}, 86400, 86400), mark(${midnight}, 28 * 86400, 86400),
    moment(${midnight}, 60), moment(${midnight}, 86400)]`;
  const east = (await reckon<string[]>(marks)).map(plain);
  expect(east).toEqual(["1:00 AM", "Nov 21", "Nov 21", "Nov 2026", "Nov 21, 2026, 1:00 AM", "Nov 21, 2026"]);
  const west = (await reckon<string[]>(marks, "America/New_York")).map(plain); // where a day of UTC begins on the day before
  expect(west).toEqual(["7:00 PM", "6:00 PM", "Nov 21", "Nov 2026", "Nov 20, 2026, 7:00 PM", "Nov 21, 2026"]);
});

test("a small curve has a gap where nobody counted", async ({ reckon }) => {
  expect(await reckon("[sparkOf([0, 10, null, 5, 10], 40, 12), sparkOf([null, null], 40, 12), sparkOf([3], 40, 12)]"))
    .toEqual(["M0 11L10 1M30 6L40 1", "", "M0 1"]);
});

test("what an operator has to see to follows from what the installation tells", async ({ reckon }) => {
  const status = (server: object, more: object = {}) => JSON.stringify({
    time: "2026-11-21T08:00:00.000Z", ...more,
    server: { ready: true, parts: [], warnings: [], tasks: [], ...server },
  });
  const topics = (server: object, more: object = {}, known = "{}") =>
    reckon<string[]>(`warningsOf(${status(server, more)}, ${known}).map(({ topic, urgent }) => topic + (urgent ? "!" : ""))`);
  expect(await topics({})).toEqual([]);
  expect(await topics({}, { backup: {} })).toEqual(["backupMissing"]);
  const [old, late] = ["2026-11-13T07:00:00.000Z", "2026-11-21T03:00:00.000Z"];
  expect(await topics({}, { backup: { succeeded_time: late } })).toEqual([]);
  expect(await topics({}, { backup: { succeeded_time: late, failed_time: old } })).toEqual([]);
  expect(await topics({}, { backup: { succeeded_time: old } })).toEqual(["backupOld"]);
  expect(await topics({}, { backup: { succeeded_time: old, failed_time: late } })).toEqual(["backupFailed"]);
  expect(await topics({ certificate_ends_time: "2026-12-06T08:00:00.000Z" })).toEqual([]);
  const ends = { certificate_ends_time: "2026-12-01T08:00:00.000Z", warnings: [{ topic: "certificate", text: "it ends" }] };
  expect(await topics(ends)).toEqual(["certificateEnds"]); // once
  expect(await topics({ ...ends, certificate_ends_time: old })).toEqual(["certificateEnded!"]);
  expect(await topics({ warnings: [{ topic: "certificate", text: "it is not valid yet" }] })).toEqual(["other"]);
  const away = { parts: [{ name: "keyring", up: false }, { name: "nats", up: false }], warnings: [{ topic: "keyring", text: "" }] };
  expect(await topics({ ...away, ready: false, reason: "it starts" })).toEqual(["notReady!", "keyring!", "nats"]);
  expect(await topics({ tasks: [{ name: "sweep", late: true }, { name: "audit", late: false }] })).toEqual(["task"]);
  const fullIn = (days: number) => `{ outlook: { full: ${Date.parse("2026-11-21T08:00:00.000Z") / 1000 + days * 86400} } }`;
  expect(await topics({}, {}, fullIn(5))).toEqual(["diskFills!"]);
  expect(await topics({}, {}, fullIn(20))).toEqual(["diskFills"]);
  expect(await topics({}, {}, fullIn(40))).toEqual([]);
  expect(await topics({ warnings: [{ topic: "disk", text: "" }] }, {}, fullIn(5))).toEqual(["disk!"]);

  const command = (data: string) => reckon(`warningsOf(${status({ warnings: [{ topic: "files_open", text: "" }] })},
    { keys: { uncopied: false, data: ${JSON.stringify(data)} } })[0].command`);
  expect(await command("/var/lib/signet")).toBe("chmod -R go-rwx /var/lib/signet");
  expect(await command("/srv/it's here")).toBe("chmod -R go-rwx '/srv/it'\\''s here'");

  const keys = (settings: object, exported: boolean) => reckon(`keysOf(
    Object.entries(${JSON.stringify(settings)}).map(([key, value]) => ({ key, value })), async () => ${exported})`);
  expect(await keys({ data: "/var/lib/signet", keyring: "" }, false)).toEqual({ uncopied: true, data: "/var/lib/signet" });
  expect(await keys({ keyring: "file:/safe/ring" }, false)).toMatchObject({ uncopied: true });
  expect(await keys({ keyring: "" }, true)).toMatchObject({ uncopied: false });
  expect(await keys({ keyring: "", "keyring.copy": "file:/media/ring" }, false)).toMatchObject({ uncopied: false });
  expect(await keys({ keyring: "postgres://keys" }, false)).toMatchObject({ uncopied: false });
});
