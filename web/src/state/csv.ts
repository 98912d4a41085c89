// Comma-separated values (RFC 4180), as spreadsheets read and write them.

/** parseCSV reads rows of cells, separated by commas or, where the first line has more of them, semicolons. */
export function parseCSV(of: string): string[][] {
  const content = of.replace(/^\uFEFF/, "");
  const head = content.slice(0, content.search(/\r?\n|$/));
  const separator = head.split(";").length > head.split(",").length ? ";" : ",";
  const rows: string[][] = [[]];
  let cell = "";
  let quoted = false;
  const end = () => {
    rows.at(-1)?.push(cell);
    cell = "";
  };
  for (let i = 0; i < content.length; i++) {
    const c = content.charAt(i);
    if (quoted) {
      if (c !== '"') cell += c;
      else if (content[i + 1] === '"') cell += content[++i];
      else quoted = false;
    } else if (c === '"' && cell === "") quoted = true;
    else if (c === separator) end();
    else if (c === "\n") {
      end();
      rows.push([]);
    } else if (c !== "\r") cell += c;
  }
  end();
  return rows.filter((row) => row.some((one) => one.trim() !== ""));
}

/** formatCSV writes rows. A cell that a spreadsheet would take for a formula begins with an apostrophe. */
export function formatCSV(rows: readonly (readonly (string | number)[])[]): string {
  const cell = (of: string | number) => {
    const words = typeof of === "string" && /^[=+\-@\t\r]/.test(of) ? `'${of}` : String(of);
    return /[",;\r\n]/.test(words) ? `"${words.replaceAll('"', '""')}"` : words;
  };
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}
