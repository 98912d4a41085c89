// Which parts of a source are what, so that they can be told apart by colour. It knows no grammar: what it can't tell
// stays as it is.

export type Kind = "comment" | "text" | "number" | "word" | "";
export type Part = readonly [kind: Kind, words: string];

/** What stands in a source, by its first sign. A text ends with the line at the latest, unless its marks are long. */
const texts = String.raw`"""[^]*?"""|\x60[^\x60]*\x60|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`;
const shellTexts = String.raw`'[^']*'|"[^"\n]*"`;
const numbers = String.raw`\b\d[\d.]*\b`;

const words: Readonly<Record<string, string>> = {
  go: "break|case|const|continue|defer|else|for|func|if|import|nil|package|range|return|struct|type|var",
  typescript: "as|async|await|break|catch|const|export|false|for|from|function|if|import|let|new|null|of|return|throw|true|try|typeof|undefined",
  python: "as|def|except|False|for|from|if|import|in|None|open|print|raise|return|True|try|with",
  java: "class|catch|final|for|if|import|new|null|public|return|static|String|throw|throws|try|var|void|while",
  csharp: "await|class|foreach|if|in|is|new|null|out|string|throw|using|var|while",
  curl: "curl",
  json: "true|false|null",
  http: "GET|POST|PUT|DELETE|HTTP",
};

const comments: Readonly<Record<string, string>> = { python: "#.*", curl: "^#.*", json: "(?!)", http: "(?!)" };

/** The names that blocks of code in documents have. */
const aliases: Readonly<Record<string, string>> = { ts: "typescript", sh: "curl", sse: "http", websocket: "http" };

/** coloured parts a source. */
export function coloured(source: string, language: string): readonly Part[] {
  const name = aliases[language] ?? language;
  const known = words[name];
  if (known === undefined) return [["", source]];
  const kinds = [
    ["comment", comments[name] ?? "//.*"],
    ["text", name === "curl" ? shellTexts : texts],
    ["number", numbers],
    ["word", `\\b(?:${known})\\b`],
  ] as const;
  const pattern = new RegExp(kinds.map(([kind, like]) => `(?<${kind}>${like})`).join("|"), "gm");
  const parts: Part[] = [];
  let end = 0;
  for (const match of source.matchAll(pattern)) {
    if (match[0] === "") continue;
    if (match.index > end) parts.push(["", source.slice(end, match.index)]);
    const [kind] = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined) ?? [""];
    parts.push([kind as Kind, match[0]]);
    end = match.index + match[0].length;
  }
  parts.push(["", source.slice(end)]);
  return parts;
}
