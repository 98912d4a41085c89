// What becomes of a row of a file, by what the server says of its person.
import type { Schemas } from "../../client/index";
import type { Person } from "./spreadsheet";

export type Result = Schemas["CreatedUserResult"];

/** What is wrong with a row: the code of the reader, of the server, or one of the page's own. */
export interface Wrong {
  code: string;
  /** As the interface calls it. */
  field?: string | undefined;
  /** Of the file, where it has no field. */
  column?: number | undefined;
  /** What the cell says. */
  cell?: string | undefined;
  /** The line of the other row, where the person is in two. */
  row?: number;
  /** In English, where the page has no words of its own for the code. */
  message?: string;
}

export interface Row {
  person: Person;
  /** New is who can be made; exists, who has an account already. */
  state: "new" | "exists" | "wrong" | "made";
  wrong: readonly Wrong[];
  /** Who has the addresses. */
  existing?: Schemas["ExistingUser"];
  made?: Schemas["CreatedUser"];
  /** It was made by an earlier attempt, whose answer was lost, and with it the secret. */
  repeated?: boolean;
}

/** judge makes a row of a person and what the server says; `lineOf` is the line of another person of the same call. */
export function judge(person: Person, result: Result, lineOf: (index: number) => number): Row {
  const { errors = result.error ? [result.error] : [], same_as, existing } = result;
  const taken = errors.filter(({ code }) => code === "address_taken");
  const known = same_as !== undefined || existing !== undefined; // it says more than that an address is taken
  const wrong: Wrong[] = [
    ...(person.problems ?? []).map(({ code, column, cell }) => ({
      code, column, cell, ...(code === "cell_boolean" && { field: "issue_key" }),
    })),
    ...errors.filter((one) => !known || !taken.includes(one)).map(({ code, field, message }) => ({
      code, field, message, cell: cellOf(person, field),
    })),
    ...(same_as === undefined ? [] : [repeats(lineOf(same_as), taken[0]?.field, person)]),
  ];
  if (wrong.length > 0) return { person, state: "wrong", wrong, ...(existing && { existing }) };
  if (existing) return { person, state: "exists", wrong, existing };
  if (!result.user) return { person, state: "new", wrong };
  return { person, state: "made", wrong, made: result.user, repeated: result.repeated ?? false };
}

/** repeats is what is wrong with a second row of the same person. */
export function repeats(row: number, field: string | undefined, person: Person): Wrong {
  return { code: "repeats", row, field, cell: cellOf(person, field) };
}

/** cellOf is what the file says of a field. A password is not shown. */
function cellOf(person: Person, field: string | undefined): string | undefined {
  switch (field) {
    case "email":
    case "emails":
      return person.emails?.join(", ");
    case "phone":
    case "phones":
      return person.phones?.join(", ");
    case "username":
    case "display_name":
    case "first_name":
    case "last_name":
    case "title":
    case "department":
      return person[field];
    default:
      return undefined;
  }
}
