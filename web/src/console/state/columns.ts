// The columns of a list of people, by the names in its first row. internal/spreadsheet/column.go does the same.
import type { Problem } from "./problem";

/** The field of a column that is left out knowingly. */
export const ignored = "-";

/**
 * The fields that a column can hold, each with the names that people and programs give it: only letters and digits
 * count, of whatever case. What the export has besides says nothing of a new person.
 */
export const fields = [
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
  [ignored, "lastseen zuletztaktiv dernièreactivité zuletztgesehen vupourladernièrefois roles rollen rôles disabled gesperrt désactivé"],
] as const;

export type Field = (typeof fields)[number][0];

/** A column of a file. */
export interface Column {
  name: string;
  /** Empty: its name is no field's, or it has none. */
  field: Field | "";
  /** The field whose name is close to that of a column of no field. */
  suggestion?: Field;
}

/** The fields that columns hold whatever their names say, by their numbers, from 1. */
export type Choices = Readonly<Record<number, Field>>;

/** takesSeveral tells whether more than one column may hold a field. */
function takesSeveral(field: Field): boolean {
  return field === "emails" || field === "phones" || field === ignored;
}

/** fieldOf returns the field that a column of this name holds; undefined if it is none. */
export function fieldOf(name: string): Field | undefined {
  const short = fold(name);
  return fields.find(([, names]) => names.split(" ").includes(short))?.[0];
}

/** columnsOf returns the columns of the first row, and what is wrong with their names. */
export function columnsOf(cells: readonly string[], line: number, choices: Choices): { columns: Column[]; problems: Problem[] } {
  const taken = new Set<Field>();
  const problems: Problem[] = [];
  const columns = cells.map((cell, at): Column => {
    const name = trim(cell);
    const field = choices[at + 1] ?? fieldOf(name);
    const place = { row: line, column: at + 1, name };
    if (!field) {
      if (name) problems.push({ code: "column_unknown", ...place });
      return { name, field: "" };
    }
    if (taken.has(field) && !takesSeveral(field)) {
      problems.push({ code: "column_twice", row: line, column: at + 1, ...(name && { name }) });
      return { name, field: "" };
    }
    taken.add(field);
    return { name, field };
  });
  for (const { code, column = 0, name = "" } of problems) {
    const near = code === "column_unknown" && suggest(name);
    const of = columns[column - 1];
    if (near && of && (takesSeveral(near) || !taken.has(near))) of.suggestion = near;
  }
  return { columns, problems };
}

/** fold returns the letters and digits of a column's name, in lower case. */
function fold(name: string): string {
  return name.normalize("NFC").replaceAll(/[^\p{L}\p{Nd}]/gu, "").toLowerCase();
}

/** How many letters a name has at least for which one is looked for that is like it. */
const shortestMisspelt = 4;

/**
 * suggest returns the field that somebody may have meant by a name that is no field's: one of addresses whose name is a
 * part of it, or one whose name is misspelt.
 */
function suggest(name: string): Field | undefined {
  const short = [...fold(name)];
  if (short.length < shortestMisspelt) return undefined;
  let best = short.length > shortestMisspelt + 1 ? 3 : 2; // what is found has to be better
  let found: Field | undefined;
  for (const [field, names] of fields) {
    if (field === ignored) continue;
    for (const alias of names.split(" ")) {
      if ((field === "emails" || field === "phones") && short.join("").includes(alias)) return field;
      const letters = [...alias];
      const far = Math.abs(short.length - letters.length) < best ? distance(short, letters) : best;
      if (far < best) [best, found] = [far, field];
    }
  }
  return found;
}

/** distance counts the letters that are missing, too many, other ones or exchanged with the next one between two words. */
function distance(a: readonly string[], b: readonly string[]): number {
  let before: number[] = [];
  let last: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    [before, last, row] = [last, row, [i]];
    for (let j = 1; j <= b.length; j++) {
      const other = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + other, swapped ? (before[j - 2] ?? 0) + 1 : Infinity,
      );
    }
  }
  return row[b.length] ?? 0;
}

/** trim drops blanks of any kind at both ends, and characters that have no width. */
export function trim(cell: string): string {
  return cell.replace(/^[\s\u0085\u200B\uFEFF]+/, "").replace(/[\s\u0085\u200B\uFEFF]+$/, "");
}
