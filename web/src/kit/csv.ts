// Comma-separated values (RFC 4180), as spreadsheets read them. `spreadsheet.ts` reads what they write, and
// internal/spreadsheet writes the same.

/** What a spreadsheet takes for a formula, or would once an apostrophe is gone. */
const formula = /^'*[=+\-@\t\r\n]/;

/**
 * Where commas are decimal points Excel separates cells by semicolons. The quote of a cell is then in the middle of one,
 * and counts for nothing: a semicolon or the end of a line within a cell begins another.
 */
const unguarded = /([;\t\r\n])(?=["']*[=+\-@])/g;

/**
 * formatCSV writes rows, behind a mark of the byte order: without it Excel takes them for windows-1252. A cell that a
 * spreadsheet would take for a formula begins with an apostrophe; within a cell there is one where another cell would
 * begin so.
 */
export function formatCSV(rows: readonly (readonly (string | number)[])[]): string {
  const guard = (words: string) => (formula.test(words) ? "'" : "") + words.replaceAll(unguarded, "$1'");
  const cell = (of: string | number) => {
    const words = typeof of === "string" ? guard(of) : String(of);
    return /[",;\r\n]/.test(words) ? `"${words.replaceAll('"', '""')}"` : words;
  };
  return `\uFEFF${rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("")}`;
}
