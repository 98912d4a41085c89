// A rule of ESLint: no module imports itself over others, by types neither. It sees what one run looks at.
import { existsSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";

/** The modules that each imports, by their files, as far as the run has come. */
const imports = new Map();

/** fileOf is the file that an import names. */
function fileOf(from, source) {
  const path = resolve(dirname(from), source).replace(/\.js$/, "");
  return [path, `${path}.ts`, `${path}.tsx`].find((file) => /\.\w+$/.test(file) && existsSync(file));
}

/** way returns the modules by which one leads to another, both included. */
function way(from, to, seen = new Set()) {
  if (from === to) return [to];
  seen.add(from);
  for (const next of imports.get(from) ?? []) {
    const rest = seen.has(next) ? undefined : way(next, to, seen);
    if (rest) return [from, ...rest];
  }
  return undefined;
}

export default {
  meta: { type: "problem", schema: [], messages: { circle: "a circle of imports: {{way}}" } },
  create(context) {
    const { filename } = context;
    const own = new Set();
    imports.set(filename, own);
    // Of the modules of a circle the one that the run comes to last has it reported.
    const look = ({ source }) => {
      if (!source || typeof source.value !== "string" || !source.value.startsWith(".")) return;
      const file = fileOf(filename, source.value);
      if (file === undefined) return;
      own.add(file);
      const back = way(file, filename);
      const names = back && [filename, ...back].map((one) => relative(context.cwd, one)).join(" → ");
      if (names) context.report({ node: source, messageId: "circle", data: { way: names } });
    };
    return {
      ImportDeclaration: look,
      ImportExpression: look,
      TSImportType: look,
      ExportNamedDeclaration: look,
      ExportAllDeclaration: look,
    };
  },
};
