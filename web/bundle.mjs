// Makes dist/ of src/: for each entry a page, a file of script and one of style, what
// entries share, and a file for each language. Names change with their content; the same
// sources give the same bytes.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

// The pages by the folders of their code: their file, and the title that they start with.
const pages = {
  messenger: { file: "index.html", title: "Signet" },
  console: { file: "console.html", title: "Signet Console" },
  docs: { file: "docs.html", title: "Signet API" },
};
const made = Object.keys(pages).filter((name) => existsSync(`src/${name}/index.tsx`));

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
});

const template = readFileSync("src/page.html", "utf8");
for (const name of made) {
  const [script, output] = Object.entries(metafile.outputs).find(([, o]) => o.entryPoint === `src/${name}/index.tsx`);
  const page = template
    .replace("TITLE", pages[name].title)
    .replace("SCRIPT", script.slice("dist".length))
    .replace("STYLE", output.cssBundle.slice("dist".length));
  writeFileSync(`dist/${pages[name].file}`, page);
}
