// Makes of the documents in docs/api what the API page shows of them: a tree for each (src/docs/tree.ts), its sections for
// the search, and what they say of calls and of errors. What the page could not show ends the build.
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { marked } from "marked";

const place = "docs/api";

/** guides is a plugin of esbuild for the modules of src/docs/modules.d.ts. It reads the directory of the documents. */
export function guides(directory) {
  const all = read(directory);
  const contents = all.map(({ name, title }) =>
    `{ name: ${JSON.stringify(name)}, title: ${JSON.stringify(title)}, load: () => import("guides:guide-${name}") }`);
  const modules = new Map(all.map(({ name, title, blocks }) => [`guide-${name}`, { title, blocks }]));
  modules.set("sections", all.flatMap(sectionsOf)).set("notes", notesOf(all));
  return {
    name: "guides",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^guides:/ }, ({ path }) => ({ path: path.slice("guides:".length), namespace: "guides" }));
      onLoad({ filter: /.*/, namespace: "guides" }, ({ path }) => (path === "contents"
        ? { contents: `export default [${contents.join(", ")}];`, loader: "js" }
        : { contents: `export default ${JSON.stringify(modules.get(path))};`, loader: "js" }));
    },
  };
}

/** read reads all documents, in the order in which the first one lists them. */
export function read(directory) {
  const files = readdirSync(directory).filter((file) => file.endsWith(".md"));
  const texts = new Map(files.map((file) => [file, readFileSync(posix.join(directory, file), "utf8")]));
  const listed = [...texts.get("README.md").matchAll(/^\| \[\w+\]\((\w+\.md)\)/gm)].map(([, file]) => file);
  return ["README.md", ...listed].map((file) => parse(file, texts.get(file)));
}

/** nameOf names a document in addresses. */
function nameOf(file) {
  const name = posix.basename(file, ".md");
  return name === "README" ? "overview" : name;
}

/** parse makes a tree of one document. */
export function parse(file, text) {
  const used = new Map();
  const reader = { file, idOf: (words) => unique(slug(words), used) };
  const [title, ...blocks] = marked.lexer(text).flatMap((token) => blockOf(token, reader));
  if (title?.kind !== "heading" || title.depth !== 1) throw new Error(`${file} does not begin with its title`);
  return { name: nameOf(file), title: plain(title.words), blocks };
}

/** slug is the name by which viewers of Markdown link to a heading; docs/links_test.go has the same rule. */
function slug(words) {
  return words.toLowerCase().replaceAll(" ", "-").replace(/[^\p{L}\p{Nd}_-]/gu, "");
}

function unique(id, used) {
  const times = used.get(id) ?? 0;
  used.set(id, times + 1);
  return times === 0 ? id : `${id}-${times}`;
}

function blockOf(token, reader) {
  switch (token.type) {
    case "space":
      return [];
    case "heading":
      return [{ kind: "heading", depth: token.depth, id: reader.idOf(token.text), words: inlinesOf(token.tokens, reader) }];
    case "paragraph":
    case "text":
      return [{ kind: "paragraph", words: inlinesOf(token.tokens, reader) }];
    case "list":
      return [{
        kind: "list",
        ordered: token.ordered,
        items: token.items.map((item) => item.tokens.flatMap((one) => blockOf(one, reader))),
      }];
    case "code":
      return [{ kind: "source", language: token.lang ?? "", text: token.text }];
    case "table": {
      const row = (cells) => cells.map((cell) => inlinesOf(cell.tokens, reader));
      return [{ kind: "table", head: row(token.header), rows: token.rows.map(row) }];
    }
    default:
      throw new Error(`${reader.file}: the page can't show a ${token.type}: ${token.raw}`);
  }
}

/** inlinesOf joins what is plain text, so that the tree is small. */
function inlinesOf(tokens, reader) {
  const all = [];
  for (const one of tokens.flatMap((token) => inlineOf(token, reader))) {
    if (typeof one === "string" && typeof all.at(-1) === "string") all.push(all.pop() + one);
    else all.push(one);
  }
  return all;
}

function inlineOf(token, reader) {
  switch (token.type) {
    case "text":
    case "escape":
      return token.tokens ? inlinesOf(token.tokens, reader) : [token.text.replaceAll("\n", " ")];
    case "codespan":
      return [{ kind: "code", text: token.text.replaceAll("\n", " ") }];
    case "strong":
    case "em":
      return [{ kind: token.type, words: inlinesOf(token.tokens, reader) }];
    case "br":
      return [{ kind: "break" }];
    case "link":
      return linkOf(token.href, inlinesOf(token.tokens, reader));
    default:
      throw new Error(`${reader.file}: the page can't show a ${token.type}: ${token.raw}`);
  }
}

/** linkOf leads to another guide, to a heading or to another host. An address of mail stays a text. */
function linkOf(href, words) {
  if (href.startsWith("mailto:")) return words;
  if (/^(#|https?:)/.test(href)) return [{ kind: "link", to: href, words }];
  const [file, anchor] = href.split("#");
  const path = posix.join(place, file);
  if (posix.dirname(path) !== place || !path.endsWith(".md")) return [{ kind: "file", path, words }];
  return [{ kind: "link", to: `/docs/guides/${nameOf(path)}${anchor ? `#${anchor}` : ""}`, words }];
}

/** plain is what words say, without how they look. */
function plain(words) {
  return words.map((one) => {
    if (typeof one === "string") return one;
    if (one.kind === "break") return " ";
    return one.text ?? plain(one.words);
  }).join("");
}

/** sectionsOf lists a guide's parts with what they say, but for the examples. */
function sectionsOf({ name, title, blocks }) {
  const sections = [{ guide: name, id: "", heading: title, text: "" }];
  for (const block of blocks) {
    if (block.kind === "heading") sections.push({ guide: name, id: block.id, heading: plain(block.words), text: "" });
    else sections.at(-1).text = `${sections.at(-1).text} ${said(block)}`.trim();
  }
  return sections;
}

function said(block) {
  switch (block.kind) {
    case "paragraph":
      return plain(block.words);
    case "list":
      return block.items.flat().map(said).join(" ");
    case "table":
      return block.rows.map((row) => row.map(plain).join(" ")).join(" ");
    default:
      return "";
  }
}

/** notesOf finds the section of each call, and the codes of errors that it names, with what the guide to errors says. */
function notesOf(all) {
  const codes = codesOf(all.find(({ name }) => name === "errors"));
  const calls = {};
  for (const { rows } of all.find(({ name }) => name === "calls").blocks.filter(({ kind }) => kind === "table")) {
    for (const [, method, path, [link]] of rows) {
      if (link?.kind !== "link") continue; // of the server itself: no guide tells of these
      const [, guide, id = ""] = /^\/docs\/guides\/(\w+)(?:#(.*))?$/.exec(link.to);
      const named = codesIn(sectionAt(all.find(({ name }) => name === guide).blocks, id));
      calls[`${plain(method)} ${pathOf(plain(path))}`] = { guide, id, codes: named.filter((code) => code in codes) };
    }
  }
  return { calls, codes };
}

/** pathOf writes a path as the OpenAPI document has it. */
function pathOf(path) {
  const whole = path.startsWith("/v5/") ? path : `/v2${path}`;
  return whole.replace(/:(\w+)/g, "{$1}").replace(/\/attachment\/1$/, "/attachment/{number}");
}

/** sectionAt is what stands below a heading, to the next one that is not below it. */
function sectionAt(blocks, id) {
  const from = blocks.findIndex((block) => block.kind === "heading" && block.id === id);
  if (from < 0) throw new Error(`no guide has the heading ${id}`);
  const rest = blocks.slice(from + 1);
  const to = rest.findIndex((block) => block.kind === "heading" && block.depth <= blocks[from].depth);
  return to < 0 ? rest : rest.slice(0, to);
}

function codesIn(part) {
  const found = new Set();
  JSON.stringify(part, (_, value) => {
    if (value?.kind === "code") found.add(value.text);
    return value;
  });
  return [...found];
}

/** codesOf reads the tables of the guide to errors: code, meaning, what to do; below a heading with their statuses. */
function codesOf({ blocks }) {
  const codes = {};
  let heading = "";
  for (const block of blocks) {
    if (block.kind === "heading") heading = plain(block.words);
    if (block.kind !== "table" || plain(block.head[0] ?? []) !== "code") continue;
    for (const [code, meaning, advice] of block.rows) {
      const statuses = heading.match(/\b\d{3}\b/g) ?? [];
      const status = statuses.length === 1 ? statuses[0] : /\((\d{3})\)/.exec(plain(meaning))?.[1];
      if (!status) throw new Error(`the guide to errors does not say of which status ${plain(code)} is`);
      codes[plain(code)] = { status, meaning, advice };
    }
  }
  return codes;
}
