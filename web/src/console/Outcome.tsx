import { type Text, text } from "../text/text";
import { fieldName } from "./roster";
import type { Row, Wrong } from "./state/judged";

/** What the pages say of what is wrong, by its code. */
const words: ReadonlyMap<string, Text> = new Map([
  ["address_required", "console.wrong_address_required"],
  ["address_taken", "console.wrong_address_taken"],
  ["cell_boolean", "console.wrong_cell_boolean"],
  ["column_unnamed", "console.wrong_column_unnamed"],
  ["email_invalid", "console.wrong_email_invalid"],
  ["password_common", "console.wrong_password_common"],
  ["password_invalid", "console.wrong_password_invalid"],
  ["phone_invalid", "console.wrong_phone_invalid"],
  ["repeats", "console.wrong_repeats"],
  ["text_invalid", "console.wrong_text_invalid"],
  ["too_long", "console.wrong_too_long"],
  ["username_invalid", "console.wrong_username_invalid"],
]);

/** saidOf is what is wrong, in the language of the page; undefined where it has no words for it. */
function saidOf({ code, row }: Wrong): string | undefined {
  const known = words.get(code);
  return known && text(known, { row: String(row ?? "") });
}

/** placeOf is the field that is wrong, or else the column of the file. */
function placeOf({ field, column }: Wrong): string {
  return fieldName(field) || (column ? text("console.columnUnnamed", { column: String(column) }) : "");
}

/** existsWords says of somebody who exists how far the file agrees with that. */
function existsWords({ existing }: Row): string {
  if (!existing?.member) return text("console.existsElsewhere");
  const fields = (existing.differs ?? []).map((field) => fieldName(field)).join(", ");
  return fields ? text("console.existsDiffers", { fields }) : text("console.existsSame");
}

/** outcomeWords is what becomes of a row, in one line. */
export function outcomeWords(row: Row): string {
  switch (row.state) {
    case "new":
      return text("console.stateNew");
    case "made":
      return text("console.stateMade");
    case "exists":
      return existsWords(row);
    case "wrong":
      return row.wrong.map((one) => [placeOf(one), one.cell, saidOf(one) ?? one.message].filter(Boolean).join(": ")).join(" ");
  }
}

/** Outcome shows what becomes of a row: everything that is wrong with it, not only the first. */
export function Outcome({ row }: { row: Row }) {
  if (row.state !== "wrong") return <>{outcomeWords(row)}</>;
  return (
    <ul class="wrong">
      {row.wrong.map((one, at) => (
        <li key={at}>
          {placeOf(one) && <strong>{placeOf(one)} </strong>}
          {one.cell && <q dir="auto">{one.cell}</q>}{" "}
          {saidOf(one) ?? <span lang="en">{one.message}</span>}
        </li>
      ))}
    </ul>
  );
}
