// The code that the API page shows: that of every call does what it says, as pasted.
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  Door, Ear, type Filled, type Form, type Language, type Operation, Programs, type Run, type Sent, generator, run,
} from "./fixtures/code.js";
import { World, cast } from "./fixtures/example.js";
import { hostile } from "./fixtures/hostile.js";
import { png } from "./fixtures/png.js";
import { expect, test as base } from "./fixtures/test.js";

const test = base.extend<{ dir: string; document: string }>({
  // There is a logo only where somebody has set one.
  serve: async ({}, use) => {
    const dir = await mkdtemp(join(tmpdir(), "signet-logo-"));
    await writeFile(join(dir, "logo.png"), png(8, 8));
    await use([`--brand.logo=${join(dir, "logo.png")}`, "--limits.messages-per-day=0"]);
    await rm(dir, { recursive: true });
  },
  dir: async ({}, use) => {
    const dir = await mkdtemp(join(tmpdir(), "signet-code-"));
    await writeFile(join(dir, "report.pdf"), "%PDF-1.7\n");
    await writeFile(join(dir, "picture.png"), png(8, 8));
    await use(dir);
    await rm(dir, { recursive: true });
  },
  document: async ({ server }, use) => use(await (await fetch(`${server.direct}/openapi.json`)).text()),
});

/** The languages that run here. */
const running: readonly Language[] = ["curl", "go", "typescript", "python"];

/** Calls whose code is not run, each with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  deletePasskey: "only an authenticator makes a passkey",
  finishPasskey: "only an authenticator answers",
  finishPasskeySignIn: "only an authenticator answers",
};

/** One program: what it is called, and what it is to end with. */
interface Program {
  readonly name: string;
  readonly statuses: readonly string[];
  readonly reply: { readonly kind: string; readonly name?: string };
}

for (const language of running) {
  const title = `the code of every call works as pasted, in ${language}`;

  test(title, async ({ server, stage, dir, document }) => {
    test.setTimeout(360_000); // more than a hundred programs, one after the other
    const world = await World.make(server);
    const door = await Door.before(server.url); // which holds all of it to the document
    const { sources, all } = await programsOf(language, world, door, document);
    expect(all.length, "programs").toBeGreaterThan(95);
    const programs = new Programs(language, dir);
    await programs.write(sources);
    for (const program of all) {
      const did = await carriedOut(programs, program);
      expect.soft(did.failed, `${program.name}\n${sources.get(program.name)}`).toBe("");
      expect.soft(program.statuses, `${program.name}: ${did.printed}`).toContain(String(door.answered(program.name)));
      await holds(program, did, dir);
    }
    await door.close();
    expect(await stage.problems()).toEqual([]);
  });
}

/** carriedOut runs a program to its end, or until the first event where it has none. */
function carriedOut(programs: Programs, { name, reply }: Program): Promise<Run> {
  return reply.kind === "stream" ? programs.follow(name, "{") : programs.run(name);
}

/** holds holds a program to what it is to show: a file where one comes, else what was answered. */
async function holds({ name, reply }: Program, { printed }: Run, dir: string): Promise<void> {
  if (reply.kind === "json") expect.soft(printed, name).toMatch(/status["']?: ?["']success["']|openapi/);
  if (reply.kind !== "file") return;
  const file = join(dir, reply.name ?? "");
  expect.soft((await stat(file)).size, `${name}: ${file}`).toBeGreaterThan(0);
  await rm(file);
}

/** programsOf makes the code of all calls in all their forms, and all that they need, before any of them runs. */
async function programsOf(
  language: Language, world: World, door: Door, document: string,
): Promise<{ sources: Map<string, string>; all: Program[] }> {
  const { describe, formsOf, requestOf, languages } = await generator();
  const sources = new Map<string, string>();
  const all: Program[] = [];
  for (const { id } of describe(JSON.parse(document)).operations.filter((call) => !(call.id in exceptions))) {
    const { swaps, reader, filled } = await world.castingOf(id);
    const call = describe(cast(document, swaps)).operations.find((one) => one.id === id);
    if (!call) throw new Error(`${id} is gone`);
    for (const form of formsOf(call)) {
      const name = `${id}_${form}`.toLowerCase();
      const request = requestOf(call, form, { base: door.base(name), ...reader }, filled);
      sources.set(name, languages[language].write(request));
      const statuses = call.answers.map(({ status }) => status).filter((status) => /^20[0-5]$/.test(status));
      all.push({ name, statuses, reply: request.reply });
    }
  }
  return { sources, all };
}

test("no call is left out without a reason, and none that is not there", async ({ document }) => {
  const { describe } = await generator();
  const calls = describe(JSON.parse(document)).operations.map(({ id }) => id);
  expect(Object.keys(exceptions).filter((id) => !calls.includes(id))).toEqual([]);
  expect(Object.keys(exceptions).length).toBeLessThanOrEqual(3);
});

test("the code in Go is formatted, and that in TypeScript compiles strictly", async ({ server, dir, document }) => {
  test.setTimeout(240_000);
  const world = await World.make(server);
  const door = await Door.before(server.url);
  for (const [language, suffix] of [["go", "go"], ["typescript", "ts"]] as const) {
    for (const [name, source] of (await programsOf(language, world, door, document)).sources) {
      await writeFile(join(dir, `${name}.${suffix}`), source);
    }
  }
  await door.close();
  expect(await run(dir, "gofmt", ["-l", "."])).toEqual({ failed: "", printed: "" });
  const web = fileURLToPath(new URL("..", import.meta.url));
  const compilerOptions = {
    target: "es2022", module: "nodenext", moduleDetection: "force", lib: ["es2023"], strict: true, noEmit: true,
    types: ["node"], typeRoots: [join(web, "node_modules/@types")],
  };
  await writeFile(join(dir, "package.json"), JSON.stringify({ type: "module" }));
  await writeFile(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  expect(await run(dir, join(web, "node_modules/typescript-7/bin/tsc"), ["-p", "."])).toEqual({ failed: "", printed: "" });
});

/** Texts that would be more than texts, where a language let them. What is half a character is none of them. */
const texts = [
  ...hostile, "", "'", '"', "`", "\\", "\\'", "'\\''", '"""', "'''", "\"\"\"\"", "${HOME} $(id) `id` $HOME !! !1", "%s %d %%",
  "\\u0041 \\x41 \\n \\", "line\nline\r\nline\ttab", "#{x} {{x}} {x} f'{1+1}'", "EOF\nEOF", "-- -x --data @file", "@report.pdf", "<report.pdf",
  "a=b;type=text/plain", "\u0000\u0001\u001f\u007f", "\u2028\u2029\u0085\ufeff", "𝄞 é ü ß", "\\\\u0022", "null", "True", "../../etc/passwd", "?a=b&c=d#e", "+ %20",
];

/** printable are those that a header may hold. */
const printable = texts.filter((text) => /^[!-~]([ -~]*[!-~])?$/.test(text) && text.length < 500);

/** strange is a document of one call that takes texts everywhere. */
function strange(part: "json" | "file"): { document: object; filled: Filled; body: Record<string, unknown> } {
  const own = part === "json" ? texts : texts.filter((text) => !text.includes("\u0000")); // which no argument of a command holds
  const body: Record<string, unknown> = { list: own, number: -1.5, yes: true, no: false, nothing: null, empty: {}, none: [] };
  for (const text of own) body[`of ${text}`] = text;
  Object.defineProperty(body, "__proto__", { value: "own", enumerable: true });
  const named = (place: string, list: readonly string[]) => list.map((_, i) => ({ name: `${place}-${i}`, in: place, schema: {} }));
  const parameters = [
    { name: "place", in: "path", required: true, schema: {} }, ...named("query", texts), ...named("header", printable),
  ];
  const example = part === "json" ? body : Object.fromEntries(own.map((text, i) => [`text-${i}`, text]));
  const content = {
    "application/json": { example },
    ...(part === "file" && { "multipart/form-data": { encoding: { attachment: { contentType: "*/*" } } } }),
  };
  const operation = {
    operationId: "strange", tags: ["Strange"], summary: "", parameters, requestBody: { content },
    responses: { 200: { description: "", content: { "application/json": {} } } },
  };
  const values = [
    ["path.place", texts.join("")],
    ...texts.map((text, i) => [`query.query-${i}`, text]), ...printable.map((text, i) => [`header.header-${i}`, text]),
  ];
  return {
    document: { info: { description: "" }, tags: [], security: [{ basic: [] }], paths: { "/v2/{place}": { post: operation } } },
    filled: { parameters: Object.fromEntries(values) },
    body: example,
  };
}

/** secret is all that a password may be made of. */
const secret = texts.filter((text) => !/[\u0000\r\n]/.test(text)).join("").slice(0, 2000).replace(/\p{Surrogate}/gu, "");

for (const language of running) {
  for (const form of ["json", "file"] as const) {
    test(`no text is more than a text in ${language}, in a body of the form ${form}`, async ({ dir }) => {
      const { describe, requestOf, languages } = await generator();
      const { document, filled, body } = strange(form);
      const [call] = describe(document).operations;
      const ear = await Ear.open();
      const source = languages[language].write(requestOf(call as Operation, form, { base: ear.base, key: "key", secret }, filled));
      const programs = new Programs(language, dir);
      await programs.write(new Map([["strange", source]]));
      expect((await programs.run("strange")).failed).toBe("");
      const sent = ear.take();
      await ear.close();
      expect(sent.method).toBe("POST");
      expect(decodeURIComponent(sent.path)).toBe(`/v2/${texts.join("")}`);
      texts.forEach((text, i) => expect.soft(sent.query.get(`query-${i}`) ?? "", `query ${i}`).toBe(text));
      printable.forEach((text, i) => expect.soft(sent.headers[`header-${i}`], `header ${i}`).toBe(text));
      const [scheme, coded = ""] = (sent.headers.authorization ?? "").split(" ");
      expect([scheme, Buffer.from(coded, "base64").toString()]).toEqual(["Basic", `key:${secret}`]);
      expect(await bodies[form](sent)).toStrictEqual(bodies.like(form, body));
    });
  }
}

/** bodies reads what was sent as a server does. */
const bodies = {
  json: async ({ body }: Sent): Promise<unknown> => JSON.parse(body.toString()),

  /** In a form the end of a line is CR LF. */
  file: async ({ body, headers }: Sent): Promise<unknown> => {
    const type = headers["content-type"] ?? "";
    const form = await new Response(new Uint8Array(body), { headers: { "Content-Type": type } }).formData();
    const parts = [...form].map(async ([name, value]) =>
      [name, typeof value === "string" ? line(value) : [value.name, value.type, await value.text()]] as const);
    return Object.fromEntries(await Promise.all(parts));
  },

  /** like is what a body is to be. */
  like: (form: "json" | "file", body: Readonly<Record<string, unknown>>): unknown => (form === "json" ? body : {
    ...Object.fromEntries(Object.entries(body).map(([name, value]) => [name, line(String(value))])),
    attachment: ["report.pdf", "application/pdf", "%PDF-1.7\n"],
  }),
};

function line(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

/** Calls of each kind: with a body, a file, a file as the answer, events, without credentials, for pages, for sign-in. */
const some = [
  "getSelf", "sendMessage", "createGroup", "exportUser", "getEvents", "getHealth", "getSession", "login", "loginV5", "eraseUser",
  "putMessageStatus", "disableUser",
];

for (const [language, end] of [["java", "java"], ["csharp", "cs"]] as const) {
  test(`the code in ${language} is what was read and compiled`, async ({ document }) => {
    const { describe, formsOf, requestOf, languages } = await generator();
    const codeOf = (call: Operation, form: Form, filled?: Filled) =>
      `// ${call.id}, ${form}\n${languages[language].write(requestOf(call, form, { base: "https://signet.example.org" }, filled))}`;
    const calls = describe(JSON.parse(document)).operations.filter(({ id }) => some.includes(id));
    const odd = (["json", "file"] as const).flatMap((form) => {
      const { document: own, filled } = strange(form);
      return describe(own).operations.map((call) => codeOf(call, form, filled));
    });
    const all = [...calls.flatMap((call) => formsOf(call).map((form) => codeOf(call, form))), ...odd];
    const code = all.join("\n");
    expect(code).toBe(await golden(`calls.${end}.txt`, code));
  });
}

test("a body that is being written stays within its text in Java", async ({ document }) => {
  const { describe, requestOf, languages } = await generator();
  const call = describe(JSON.parse(document)).operations.find(({ id }) => id === "sendMessage");
  const codeOf = (body: string) =>
    languages.java.write(requestOf(call as Operation, "json", { base: "https://signet.example.org" }, { parameters: {}, body }));
  expect(codeOf('x"""')).toContain('x\\"\\"\\""""');
  expect(codeOf('x"')).toContain('x\\""""');
});

/** golden is what a file says; SIGNET_TEST_UPDATE=1 writes it anew, to be read as a diff. */
async function golden(name: string, content: string): Promise<string> {
  const file = fileURLToPath(new URL(`golden/${name}`, import.meta.url));
  if (process.env["SIGNET_TEST_UPDATE"]) {
    await mkdir(new URL("golden/", import.meta.url), { recursive: true });
    await writeFile(file, content);
  }
  return readFile(file, "utf8");
}
