// People from the text files that spreadsheets write: comma-separated values (RFC 4180), and what goes by that name.
// internal/spreadsheet does the same for the command line. Its testdata/vectors.json holds both to the same rules: a
// change is made in both, and has its vectors.
import type { Body } from "../../client/index";

/** A person of a file, in the fields of the interface, and the line of the file, from 1. */
export type Person = Body<"createUser"> & { row: number };

/** What makes a file unreadable, and where. */
export interface Problem {
  code:
    | "empty" // there is no row below the names of the columns
    | "workbook" // it is no text, but what spreadsheets save by themselves
    | "encoding" // characters that were lost before, or of no known encoding
    | "quote_open" // a quote is never closed
    | "column_unknown" // a name that is no field of a person
    | "column_twice" // two columns of one field that has one value
    | "column_unnamed" // a cell in a column without a name
    | "cell_boolean"; // neither yes nor no
  row?: number;
  column?: number;
  name?: string;
  cell?: string;
}

/** What a file holds. Latin: it is no UTF-8 and was read as windows-1252, so that somebody should look at the names. */
export interface People {
  people: Person[];
  latin: boolean;
}

class Refusal extends Error {
  constructor(readonly problem: Problem) {
    super(problem.code);
  }
}

/** readPeople reads a file whose first row names the columns. Empty rows and empty columns are left out. */
export function readPeople(file: Uint8Array): People | { problem: Problem } {
  try {
    const { content, latin } = decode(file);
    const [head, ...rows] = split(content).filter(({ cells }) => cells.some((cell) => trim(cell) !== ""));
    if (head === undefined || rows.length === 0) throw new Refusal({ code: "empty" });
    const columns = columnsOf(head);
    return { people: rows.map((row) => personOf(row, columns)), latin };
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

type Field = Exclude<keyof Person, "row" | "email" | "phone"> | "";

/**
 * The fields that a column can hold, each with the names that people and programs give it: only letters and digits
 * count, of whatever case. The console exports its list of people under the first names in English, German and French.
 * What an export says of when somebody was last seen says nothing of a new person.
 */
const fields: readonly (readonly [field: Field, names: string])[] = [
  ["display_name", "name nom displayname fullname anzeigename nomaffiché"],
  ["username", "username benutzername nomdutilisateur login loginname user"],
  ["emails", "email emails mail emailaddress emailadresse adresseemail courriel"],
  ["title", "title funktion fonction jobtitle titel"],
  ["department", "department abteilung service"],
  ["first_name", "firstname givenname vorname prénom prenom"],
  ["last_name", "lastname surname familyname nachname nomdefamille"],
  ["phones", "phone phones phonenumber mobile mobilephone telephone telefon téléphone"],
  ["password", "password passwort kennwort motdepasse"],
  ["issue_key", "issuekey"],
  ["", "lastseen zuletztaktiv dernièreactivité zuletztgesehen vupourladernièrefois"],
];

interface Column {
  name: string;
  field: Field;
}

/** columnsOf returns the columns by the names in the first row. One without a name has an empty one. */
function columnsOf(head: Row): Column[] {
  const seen = new Set<Field>();
  return head.cells.map((cell, at) => {
    const name = trim(cell);
    if (name === "") return { name, field: "" };
    const short = name.normalize("NFC").replaceAll(/[^\p{L}\p{Nd}]/gu, "").toLowerCase();
    const field = fields.find(([, names]) => names.split(" ").includes(short))?.[0];
    const place = { row: head.line, column: at + 1, name };
    if (field === undefined) throw new Refusal({ code: "column_unknown", ...place });
    if (seen.has(field) && field !== "emails" && field !== "phones" && field !== "") {
      throw new Refusal({ code: "column_twice", ...place });
    }
    seen.add(field);
    return { name, field };
  });
}

/** trim drops blanks of any kind at both ends, and characters that have no width. */
function trim(cell: string): string {
  return cell.replace(/^[\s\u0085\u200B\uFEFF]+/, "").replace(/[\s\u0085\u200B\uFEFF]+$/, "");
}

/** plain drops the apostrophe by which a cell is marked as no formula, as formatCSV does it. */
function plain(words: string): string {
  return /^'[=+\-@\t\n]/.test(words) ? trim(words.slice(1)) : words;
}

/** addresses takes a cell of several apart. */
function addresses(cell: string): string[] {
  return cell.split(/[,;\n]/).map((one) => plain(trim(one))).filter((one) => one !== "");
}

// How spreadsheets and people write what is so or not.
const yes = "true t yes y 1 on x wahr ja j vrai oui o vero sì si verdadero sí verdadeiro sim waar".split(" ");
const no = "false f no n 0 off falsch nein faux non falso não onwaar nee".split(" ");

function personOf({ line, cells }: Row, columns: readonly Column[]): Person {
  const person: Person = { row: line };
  for (const [at, cell] of cells.entries()) {
    const words = trim(cell);
    if (words === "") continue;
    const column = columns[at];
    const place = { row: line, column: at + 1, ...(column?.name && { name: column.name }) };
    if (!column?.name) throw new Refusal({ code: "column_unnamed", ...place, cell: words });
    switch (column.field) {
      case "":
        break;
      case "issue_key":
        if (yes.includes(words.toLowerCase())) person.issue_key = true;
        else if (!no.includes(words.toLowerCase())) throw new Refusal({ code: "cell_boolean", ...place, cell: words });
        break;
      case "emails":
      case "phones": {
        const all = [...(person[column.field] ?? []), ...addresses(plain(words))];
        if (all.length > 0) person[column.field] = all;
        break;
      }
      case "password":
        person.password = cell; // to the letter
        break;
      default:
        person[column.field] = plain(words);
    }
  }
  return person;
}
