// Makes dist/ of src/: a file of script and one of style with names that change with their
// content, and the entry page that names them. The same sources give the same bytes.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { build } from "esbuild";

rmSync("dist/assets", { recursive: true, force: true });
mkdirSync("dist/assets", { recursive: true });
const { metafile } = await build({
  entryPoints: { messenger: "src/messenger/index.tsx" },
  outdir: "dist/assets",
  entryNames: "[name]-[hash]",
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  metafile: true,
  logLevel: "error",
});
const made = Object.keys(metafile.outputs).map((name) => `/assets/${basename(name)}`);
const page = readFileSync("src/messenger/index.html", "utf8")
  .replace("SCRIPT", made.find((name) => name.endsWith(".js")))
  .replace("STYLE", made.find((name) => name.endsWith(".css")));
writeFileSync("dist/index.html", page);
