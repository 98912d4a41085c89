// Comma-separated values (RFC 4180), as spreadsheets read them. `spreadsheet.ts` reads what they write, and
// internal/spreadsheet writes the same.

/** What a spreadsheet takes for a formula, or would once an apostrophe is gone. */
const formula = /^'*[=+\-@\t\r\n]/;

/**
 * formatCSV writes rows, behind a mark of the byte order: without it Excel takes them for windows-1252. A cell that a
 * spreadsheet would take for a formula begins with an apostrophe.
 */
export function formatCSV(rows: readonly (readonly (string | number)[])[]): string {
  const cell = (of: string | number) => {
    const words = typeof of === "string" && formula.test(of) ? `'${of}` : String(of);
    return /[",;\r\n]/.test(words) ? `"${words.replaceAll('"', '""')}"` : words;
  };
  return `\uFEFF${rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("")}`;
}
