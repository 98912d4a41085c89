import { useState } from "preact/hooks";
import { Form } from "../kit/Form";
import { Select } from "../kit/Select";
import { text } from "../text/text";
import { ChooseFile } from "./ImportFile";
import { fieldName, fieldNames } from "./roster";
import { type Choices, type Field, fieldOf, ignored } from "./state/columns";
import type { Importing } from "./state/importing";
import type { People } from "./state/spreadsheet";

/** twiceOf is the field that a column holds as well as an earlier one; undefined where that is not what is wrong with it. */
function twiceOf({ columns, problems }: Pick<People, "columns" | "problems">, number: number, choices: Choices): Field | undefined {
  const twice = problems.some(({ code, column }) => code === "column_twice" && column === number);
  return twice ? (choices[number] ?? fieldOf(columns[number - 1]?.name ?? "")) : undefined;
}

/** ImportColumns asks what the columns hold that the file does not tell, or tells twice. */
export function ImportColumns({ importing }: { importing: Importing }) {
  const { problems = [], columns = [] } = importing.read.value ?? {};
  const [chosen, setChosen] = useState<Choices>({});
  const twice = (number: number) => twiceOf({ columns, problems }, number, importing.choices.value);
  const asked = problems.flatMap(({ column }) => column ?? []);
  // Of two columns of one field either may be the wrong one.
  const others = asked.flatMap((number) => columns.findIndex(({ field }) => field !== "" && field === twice(number)) + 1);
  const numbers = [...new Set([...asked, ...others])].filter((number) => number > 0).sort((a, b) => a - b);
  const choice = (number: number): Field => {
    const { field, suggestion = ignored } = columns[number - 1] ?? {};
    return chosen[number] ?? (field || suggestion);
  };
  const options = {
    [ignored]: text("console.leaveOut"),
    ...Object.fromEntries(Object.keys(fieldNames).map((field) => [field, fieldName(field)])),
  } as Record<Field, string>;
  return (
    <>
      <p>{text("console.columnsWhy")}</p>
      <Form
        act={text("continue")}
        onSubmit={() => {
          const all = Object.fromEntries(numbers.map((number) => [number, choice(number)]));
          setChosen({});
          return importing.choose({ ...importing.choices.value, ...all });
        }}
      >
        {numbers.map((number) => {
          const name = columns[number - 1]?.name;
          const problem = problems.find(({ column }) => column === number);
          const column = String(number);
          return (
            <div key={number}>
              <Select<Field>
                label={name ? text("console.columnNamed", { column, name }) : text("console.columnUnnamed", { column })}
                value={choice(number)}
                options={options}
                onChange={(field) => setChosen({ ...chosen, [number]: field })}
              />
              {problem?.code === "column_twice" && (
                <p role="alert" class="problem">
                  {text("console.file_column_twice", { name: fieldName(twice(number)) || (name ?? column) })}
                </p>
              )}
              {problem?.cell !== undefined && <p class="muted">{text("console.columnLike", { cell: problem.cell })}</p>}
            </div>
          );
        })}
      </Form>
      <p class="acts"><ChooseFile importing={importing} label={text("console.chooseOther")} /></p>
    </>
  );
}
