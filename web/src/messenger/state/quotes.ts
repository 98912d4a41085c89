// Quoted lines in what people wrote: those that begin with ">".

/** A part of a text: lines that follow each other, all of them quoted or none. */
export interface Block {
  quoted: boolean;
  text: string;
}

/** blocks parts a text. What is quoted is without its marks, and without empty lines around it. */
export function blocks(text: string): Block[] {
  const found: { quoted: boolean; lines: string[] }[] = [];
  for (const line of text.split("\n")) {
    const quoted = line.startsWith(">");
    if (found.at(-1)?.quoted !== quoted) found.push({ quoted, lines: [] });
    found.at(-1)?.lines.push(quoted ? line.replace(/^> ?/, "") : line);
  }
  const only = found.length === 1;
  const parts = found.map(({ quoted, lines }) => {
    const all = lines.join("\n");
    return { quoted, text: quoted ? all.trimEnd() : only ? all : withoutEmptyLines(all) };
  });
  return parts.filter(({ quoted, text }) => quoted || text !== "");
}

function withoutEmptyLines(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && text[from] === "\n") from++;
  while (to > from && text[to - 1] === "\n") to--;
  return text.slice(from, to);
}
