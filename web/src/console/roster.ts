// People as a file has them: what the console exports, and the template for an import. The importer knows these names of
// columns in each language (state/columns.ts).
import type { Schemas } from "../client/index";
import { formatCSV } from "../kit/csv";
import type { Column } from "../kit/Table";
import { type Text, text } from "../text/text";
import type { Field } from "./state/columns";
import { example } from "./state/example";

/** What the pages call the fields of a person, by what the interface calls them. */
export const fieldNames = {
  display_name: "console.name",
  username: "console.username",
  emails: "console.email",
  phones: "console.phone",
  title: "console.jobTitle",
  department: "console.department",
  first_name: "console.firstName",
  last_name: "console.lastName",
  password: "password",
  issue_key: "console.key",
} as const satisfies Readonly<Record<Exclude<Field, "-">, Text>>;

/** fieldName is what the pages call a field. What is none that they know has no name. */
export function fieldName(field: string | undefined): string {
  const known = field === "email" || field === "phone" ? `${field}s` : (field ?? "");
  return Object.hasOwn(fieldNames, known) ? text(fieldNames[known as keyof typeof fieldNames]) : "";
}

/** exportedPeople are the columns of an exported list of people. */
export function exportedPeople(): readonly Column<Schemas["Member"]>[] {
  const name = (field: keyof typeof fieldNames) => text(fieldNames[field]);
  return [
    { title: name("display_name"), value: (one) => one.display_name },
    { title: name("username"), value: (one) => one.username },
    { title: name("emails"), value: (one) => one.emails.map(({ address }) => address).join(", ") },
    { title: name("phones"), value: (one) => one.phones.map(({ number }) => number).join(", ") },
    { title: name("title"), value: (one) => one.title ?? "" },
    { title: name("department"), value: (one) => one.department ?? "" },
    { title: name("first_name"), value: (one) => one.first_name },
    { title: name("last_name"), value: (one) => one.last_name },
    { title: text("console.roles"), value: (one) => one.roles.map((role) => (role === "admin" ? text("console.admin") : role)).join(", ") },
    { title: text("console.disabled"), value: (one) => text(one.disabled ? "console.yes" : "console.no") },
    { title: text("console.lastSeen"), value: (one) => one.last_seen_time ?? "" },
  ];
}

/** template is a file to fill in, with an example, which the importer leaves out. */
export function template(): string {
  const row = {
    display_name: "Example Person", username: example.username, emails: example.email, phones: "+1 202-555-0100",
    title: "Nurse", department: "Surgery", first_name: "Example", last_name: "Person", password: "",
  } satisfies Partial<Record<keyof typeof fieldNames, string>>;
  return formatCSV([Object.keys(row).map((field) => fieldName(field)), Object.values(row)]);
}
