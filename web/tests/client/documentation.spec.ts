// What docs/api/typescript.md tells of the package, as somebody finds it who has installed it.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test as base } from "../fixtures/test.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const compiler = join(root, "web/node_modules/typescript-7/bin/tsc");
const password = "correct horse battery"; // the page's

const test = base.extend<{ dir: string }>({
  dir: async ({}, use) => {
    const dir = await mkdtemp(join(tmpdir(), "signet-documentation-"));
    await use(dir);
    await rm(dir, { recursive: true });
  },
});

async function read(name: string): Promise<string> {
  return readFile(join(root, name), "utf8");
}

/** run runs a command in a directory, as somebody at a shell, and returns what it prints. */
async function run(dir: string, command: string, ...args: string[]): Promise<string> {
  const { PATH, HOME } = process.env; // and nothing that Playwright sets, such as colours
  return (await promisify(execFile)(command, args, { cwd: dir, env: { PATH, HOME } })).stdout.trim();
}

/** found lists what an expression finds in its parentheses. */
function found(expression: RegExp, text: string): string[] {
  return [...text.matchAll(expression)].map((match) => String(match[1]));
}

test.describe("on a server whose only people are the page's", () => {
  test.use({ serve: [] });

  test("the page's examples, one after the other, print what it says", async ({ dir, server }) => {
    const page = await read("docs/api/typescript.md");
    const code = found(/^```ts\n(.*?)^```$/gms, page);
    const want = found(/\/\/ prints (.*)$/gm, code.join(""));
    expect(code.length, "examples").toBeGreaterThanOrEqual(8);
    expect(want.length, "lines that they print").toBeGreaterThanOrEqual(8);
    const packed = (await readdir(join(root, "bin"))).filter((name) => /^signet-client-.*\.tgz$/.test(name));
    expect(packed, "`make client` packs one").toHaveLength(1);
    expect(page, "what it installs").toContain(`./bin/${packed}`);

    const organization = await server.operator.createOrganization({ name: "General Hospital" });
    const operator = server.operator.in(organization);
    const alice = await operator.createUser({ display_name: "Alice", emails: ["alice@example.com"], issue_key: true });
    await operator.createUser({ display_name: "Bob", emails: ["bob@example.com"], password });
    const program = code.join("\n")
      .replaceAll("https://messages.example.org", server.direct)
      .replaceAll('"KEY"', JSON.stringify(alice.api_key))
      .replaceAll('"SECRET"', JSON.stringify(alice.api_secret));

    const compilerOptions = {
      target: "es2022", module: "nodenext", strict: true, types: [], lib: ["es2023", "dom", "dom.asynciterable"],
    };
    await writeFile(join(dir, "package.json"), JSON.stringify({ type: "module" }));
    await writeFile(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    await writeFile(join(dir, "page.ts"), program);
    const quietly = ["--offline", "--no-audit", "--no-fund", "--loglevel=error"];
    await run(dir, "npm", "install", ...quietly, join(root, "bin", ...packed));
    await run(dir, compiler, "-p", ".");
    expect((await run(dir, "node", "page.js")).split("\n")).toStrictEqual(want);
  });
});

test("the package has the version of the changelog", async () => {
  const { version } = JSON.parse(await read("web/src/client/package.json")) as { version: string };
  const [newest] = found(/^## \[(\d+\.\d+\.\d+)\]/gm, await read("CHANGELOG.md"));
  expect(newest).toMatch(/^\d/);
  expect(version).toBe(newest);
});
