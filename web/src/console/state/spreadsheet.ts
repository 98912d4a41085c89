// People from the text files that spreadsheets write: comma-separated values (RFC 4180), and what goes by that name.
// internal/spreadsheet does the same for the command line. Its testdata/vectors.json holds both to the same rules: a
// change is made in both, and has its vectors.
import type { Body } from "../../client/index";
import { type Choices, type Column, columnsOf, type Field, ignored, trim } from "./columns";
import { example } from "./example";
import type { Problem } from "./problem";

/** A person of a file, in the fields of the interface, and the line of the file, from 1. */
export type Person = Omit<Body<"createUser">, "emails" | "phones"> & {
  row: number;
  emails?: string[];
  phones?: string[];
  /** Of its cells, which are not read then. */
  problems?: Problem[];
};

/** What a file holds. */
export interface People {
  columns: Column[];
  people: Person[];
  /** Of the columns. Nothing of such a column is read, until somebody chooses what it holds. */
  problems: Problem[];
  /** The line of the template's example, which is left out; 0: it is not there. */
  example: number;
  /** It is no UTF-8 and was read as windows-1252, so that somebody should look at the names. */
  latin: boolean;
}

class Refusal extends Error {
  constructor(readonly problem: Problem) {
    super(problem.code);
  }
}

/**
 * readPeople reads a file whose first row names the columns, unless they are chosen. Empty rows and empty columns are
 * left out.
 */
export function readPeople(file: Uint8Array, choices: Choices = {}): People | { problem: Problem } {
  try {
    const { content, latin } = decode(file);
    const [head, ...rows] = split(content).filter(({ cells }) => cells.some((cell) => trim(cell) !== ""));
    if (head === undefined || rows.length === 0) throw new Refusal({ code: "empty" });
    const { columns, problems } = columnsOf(head.cells, head.line, choices);
    const unnamed = new Set<number>();
    const tell = (problem: Problem) => {
      if (!unnamed.has(problem.column ?? 0)) problems.push(problem);
      unnamed.add(problem.column ?? 0);
    };
    const all = rows.map((row) => personOf(row, columns, tell));
    const people = all.filter((person) => !isExample(person));
    if (people.length === 0) throw new Refusal({ code: "empty" });
    return { columns, people, problems, example: all.findLast(isExample)?.row ?? 0, latin };
  } catch (error) {
    if (error instanceof Refusal) return { problem: error.problem };
    throw error;
  }
}

/** What files begin with that are no text: archives (.xlsx, .ods) and compound files (.xls). */
const workbooks = ["PK\x03\x04", "\xd0\xcf\x11\xe0"];

/** Stands for a character that was lost in an earlier conversion, or in this one. */
const lost = "\uFFFD";

/** decode returns the text of a file, by its mark of the byte order; without one as UTF-8, or else as windows-1252. */
function decode(file: Uint8Array): { content: string; latin: boolean } {
  const begins = (bytes: string) => [...bytes].every((c, at) => file[at] === c.charCodeAt(0));
  if (workbooks.some(begins)) throw new Refusal({ code: "workbook" });
  const as = (encoding: string, from: number, fatal = false) =>
    new TextDecoder(encoding, { ignoreBOM: true, fatal }).decode(file.subarray(from));
  let content: string;
  let latin = false;
  if (begins("\xff\xfe")) content = as("utf-16le", 2);
  else if (begins("\xfe\xff")) content = as("utf-16be", 2);
  else if (begins("\xef\xbb\xbf")) content = as("utf-8", 3);
  else {
    try {
      content = as("utf-8", 0, true);
    } catch {
      content = as("windows-1252", 0).replaceAll(/[\x81\x8d\x8f\x90\x9d]/g, lost); // which are no character of it
      latin = true;
    }
  }
  const at = content.search(/[\uFFFD\0]/);
  if (at >= 0) throw new Refusal({ code: "encoding", row: content.slice(0, at).split(/\r\n|\r|\n/).length });
  return { content, latin };
}

/** A line of cells, or several where cells have ends of lines in quotes. */
interface Row {
  line: number;
  cells: string[];
}

/** How Excel writes the separator into a line of its own. */
const announced = /^"?sep=([,;|\t])"?(?:\r\n|\r|\n|$)/i;

/** split takes a text apart. A quote counts where a cell begins with it, and is a character elsewhere. */
function split(content: string): Row[] {
  const told = announced.exec(content);
  const separator = told?.[1] ?? separatorOf(content);
  const rows: Row[] = [];
  let line = told ? 2 : 1;
  let row: Row = { line, cells: [] };
  let cell = "";
  let quoted = 0; // the line in which the quote was opened
  let wasQuoted = false;
  const end = () => {
    row.cells.push(cell);
    cell = "";
    wasQuoted = false;
  };
  for (let i = told?.[0].length ?? 0; i < content.length; i++) {
    const c = content.charAt(i);
    const ends = c === "\n" || c === "\r";
    if (c === "\r" && content[i + 1] === "\n") i++;
    if (ends) line++;
    if (quoted) {
      if (ends) cell += "\n";
      else if (c !== '"') cell += c;
      else if (content[i + 1] === '"') cell += content.charAt(++i);
      else quoted = 0;
    } else if (c === '"' && !wasQuoted && /^[ \t]*$/.test(cell)) {
      cell = "";
      quoted = line;
      wasQuoted = true;
    } else if (c === separator) end();
    else if (ends) {
      end();
      rows.push(row);
      row = { line, cells: [] };
    } else cell += c;
  }
  if (quoted) throw new Refusal({ code: "quote_open", row: quoted });
  end();
  return [...rows, row];
}

/** separatorOf returns the separator that the first row has most of which is not empty. */
function separatorOf(content: string): string {
  let counts = { ",": 0, ";": 0, "\t": 0 };
  const most = () => Object.entries(counts).reduce((a, b) => (b[1] > a[1] ? b : a))[0];
  let [quoted, begun, filled] = [false, false, false];
  for (const c of content) {
    if (c === '"' && (quoted || !begun)) {
      quoted = !quoted;
      begun = filled = true;
    } else if (quoted) continue;
    else if (c === "," || c === ";" || c === "\t") {
      counts[c]++;
      begun = false;
    } else if (c === "\r" || c === "\n") {
      if (filled) return most();
      counts = { ",": 0, ";": 0, "\t": 0 };
      begun = false;
    } else if (c !== " ") begun = filled = true;
  }
  return most();
}

/** plain drops the apostrophes by which a cell is marked as no formula, as formatCSV does it. */
function plain(marked: string): string {
  const words = marked.replaceAll(/([;\t\r\n])'(?=["']*[=+\-@])/g, "$1");
  return /^'+[=+\-@\t\r\n]/.test(words) ? trim(words.slice(1)) : words;
}

/** addresses takes a cell of several apart. */
function addresses(cell: string): string[] {
  return cell.split(/[,;\n]/).map((one) => plain(trim(one))).filter((one) => one !== "");
}

/** How spreadsheets and people write what is so or not. */
export const booleans = {
  yes: "true t yes y 1 on x wahr ja j vrai oui o vero sì si verdadero sí verdadeiro sim waar".split(" "),
  no: "false f no n 0 off falsch nein faux non falso não onwaar nee".split(" "),
};

/** personOf reads a row. Cells in a column that has no name are told. */
function personOf({ line, cells }: Row, columns: readonly Column[], tell: (problem: Problem) => void): Person {
  const person: Person = { row: line };
  for (const [at, cell] of cells.entries()) {
    const words = trim(cell);
    if (words === "") continue;
    const column = columns[at];
    const place = { row: line, column: at + 1, cell: words };
    const wrong = (problem: Problem) => (person.problems = [...(person.problems ?? []), problem]);
    if (!column) wrong({ code: "column_unnamed", ...place });
    else if (column.field && !set(person, column.field, cell, words)) {
      wrong({ code: "cell_boolean", ...place, ...(column.name && { name: column.name }) });
    } else if (!column.field && !column.name) tell({ code: "column_unnamed", ...place });
  }
  return person;
}

/** set gives a person what the cell of a field says, and returns whether it is a value of the field. */
function set(person: Person, field: Field, cell: string, words: string): boolean {
  switch (field) {
    case ignored:
      break;
    case "issue_key":
      if (booleans.yes.includes(words.toLowerCase())) person.issue_key = true;
      else if (!booleans.no.includes(words.toLowerCase())) return false;
      break;
    case "emails":
    case "phones": {
      const all = [...(person[field] ?? []), ...addresses(words)];
      if (all.length > 0) person[field] = all;
      break;
    }
    case "password":
      person.password = cell; // to the letter
      break;
    default:
      person[field] = plain(words);
  }
  return true;
}

function isExample({ username, emails }: Person): boolean {
  return username === example.username && emails?.length === 1 && emails[0] === example.email;
}

/**
 * addressesOf are what names a person, folded: two rows that share one are of the same person. Only the server knows all
 * spellings of a telephone number.
 */
export function addressesOf({ username, emails = [], phones = [] }: Person): string[] {
  return [
    ...(username ? [`username ${username.toLowerCase()}`] : []),
    ...emails.map((email) => `email ${email.toLowerCase()}`),
    ...phones.map((phone) => `phone ${phone.replaceAll(/[^+\p{Nd}]/gu, "")}`),
  ];
}
