// Makes dist/ of src/ (and the guides of docs/api): for each entry a page, a file of script and one of style, what
// entries share, a file for each language, icons, manifest and service worker. Names change
// with their content; the same sources give the same bytes.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { build } from "esbuild";
import { compress } from "./compress.mjs";
import { guides } from "./guides.mjs";
import { logo, png, svg } from "./icons.mjs";

// The pages by the folders of their code: their file, and the title that they start with.
const pages = {
  messenger: { file: "index.html", title: "Signet" },
  console: { file: "console.html", title: "Signet console" },
  docs: { file: "docs.html", title: "Signet API" },
};
const made = Object.keys(pages).filter((name) => existsSync(`src/${name}/index.tsx`));

// What nobody is told at first: why calls failed, or copying did, and what is said of passkeys, keys, notifications,
// sounds, quiet hours, rotas, escalations, forwarding, recalling and pictures.
const late = [
  "problem", "copy", "passkey", "keys", "notices", "hear", "sound", "quiet", "duty", "escalation", "forward", "recall", "picture",
];

/**
 * words gives each page those of a dictionary that begin with its name. "late" are those that come behind every page,
 * "shared" are the rest.
 */
const words = {
  name: "words",
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/text\/\w+\.json$/ }, ({ path, suffix }) => {
      const parts = Object.fromEntries([...made.map((page) => [page, page]), ...late.map((one) => [one, "late"])]);
      const of = (name) => (name.includes(".") && parts[name.split(".")[0]]) || "shared";
      const all = Object.entries(JSON.parse(readFileSync(path, "utf8")));
      const some = suffix === "" ? all : all.filter(([name]) => of(name) === suffix.slice(1));
      return { contents: JSON.stringify(Object.fromEntries(some)), loader: "json" };
    });
  },
};

rmSync("dist/assets", { recursive: true, force: true });
mkdirSync("dist/assets", { recursive: true });
const { metafile } = await build({
  entryPoints: Object.fromEntries(made.map((name) => [name, `src/${name}/index.tsx`])),
  outdir: "dist/assets",
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  bundle: true,
  splitting: true,
  minify: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  metafile: true,
  logLevel: "error",
  plugins: [words, guides("../docs/api")],
});

const outputs = metafile.outputs;

/** An asset under a name that changes with its content; returns its address. */
function asset(name, type, content) {
  const address = `/assets/${name}-${hashOf(content)}.${type}`;
  writeFileSync(`dist${address}`, content);
  return address;
}

function hashOf(content) {
  return createHash("sha256").update(content).digest("hex").slice(0, 8).toUpperCase();
}

const mark = JSON.parse(readFileSync("src/mark.json", "utf8"));
const icon = asset("icon", "svg", svg(mark));
const unread = asset("icon-unread", "svg", svg(mark, true));
const drawn = Object.fromEntries([180, 192, 512].map((size) => [size, asset(`icon-${size}`, "png", png(mark, size))]));

// What is done before a page is shown waits for nothing else, and nothing for it but the page.
const first = await build({
  entryPoints: ["src/first/index.ts"], bundle: true, minify: true, format: "iife", target: "es2022", write: false, logLevel: "error",
});
const early = asset("first", "js", first.outputFiles[0].text);

/** page fills in a page of src. */
function page(file, source, values) {
  const all = { ICON: icon, UNREAD: unread, TOUCH: drawn[180], FIRST: early, LOGO: logo(mark), ...values };
  const template = readFileSync(`src/${source}`, "utf8");
  writeFileSync(`dist/${file}`, template.replace(/\b[A-Z]{4,}\b/g, (word) => all[word] ?? word));
}

/** needs are the files that a file of script loads: all, or those at once. It is the first of them. */
function needs(file, atOnce = false, all = new Set()) {
  if (all.has(file)) return all;
  all.add(file);
  for (const { path, kind } of outputs[file].imports) {
    if (!atOnce || kind === "import-statement") needs(path, atOnce, all);
  }
  return all;
}

/** entryOf is the file of script that a page begins with, and what was made with it. */
function entryOf(name) {
  return Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === `src/${name}/index.tsx`);
}

const address = (file) => file.slice("dist".length);
for (const name of made) {
  const [script, output] = entryOf(name);
  page(pages[name].file, "page.html", {
    TITLE: pages[name].title,
    SCRIPT: address(script),
    STYLE: address(output.cssBundle),
    PRELOADS: [...needs(script, true)].slice(1).map((file) => `<link rel="modulepreload" href="${address(file)}">`).join("\n    "),
  });
}

// What a person sees at an address where there is nothing, in each language.
const [entry, { cssBundle }] = entryOf("messenger");
for (const [language, { title, reason, start }] of Object.entries(JSON.parse(readFileSync("src/text/missing.json", "utf8")))) {
  page(`missing-${language}.html`, "missing.html", {
    LANGUAGE: language, TITLE: title, REASON: reason, START: start, STYLE: address(cssBundle),
  });
}

// What makes the messenger an application that can be installed, and that starts without a connection.
const manifest = {
  id: "/",
  name: "Signet",
  short_name: "Signet",
  start_url: "/",
  scope: "/",
  display: "standalone",
  background_color: "#16181c",
  theme_color: "#1457b8",
  icons: [
    { src: icon, sizes: "any", type: "image/svg+xml" },
    ...[192, 512].map((size) => ({
      src: drawn[size], sizes: `${size}x${size}`, type: "image/png", purpose: "any maskable",
    })),
  ],
};
writeFileSync("dist/manifest.webmanifest", JSON.stringify(manifest));

const files = [...needs(entry), cssBundle].map(address).sort();
const kept = ["/", "/manifest.webmanifest", early, ...files, icon, unread, drawn[192]];
await build({
  entryPoints: ["src/worker/index.ts"],
  outfile: "dist/sw.js",
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  define: {
    FILES: JSON.stringify(kept),
    VERSION: JSON.stringify(hashOf(kept.join() + readFileSync("dist/index.html"))),
  },
  logLevel: "error",
});

compress("dist");
