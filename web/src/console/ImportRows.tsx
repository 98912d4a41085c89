import { useState } from "preact/hooks";
import { Table } from "../kit/Table";
import { count } from "../text/format";
import { type Text, text } from "../text/text";
import { ChooseFile } from "./ImportFile";
import { Outcome, outcomeWords } from "./Outcome";
import { ignored } from "./state/columns";
import type { Importing } from "./state/importing";
import type { Row } from "./state/judged";

/** How many rows are shown at a time. */
const pageSize = 100;

const filters = {
  all: "console.all", new: "console.stateNew", exists: "console.stateExists", wrong: "console.stateWrong",
} as const satisfies Readonly<Record<string, Text>>;

type Which = keyof typeof filters;

/** ImportRows shows what would become of each row, before anybody is made. */
export function ImportRows({ importing, onDone }: { importing: Importing; onDone: () => void }) {
  const [which, setWhich] = useState<Which>("all");
  const rows = importing.rows.value;
  const of = (one: Which) => (one === "all" ? rows : rows.filter(({ state }) => state === one));
  const [fresh, existing, wrong] = [of("new").length, of("exists").length, of("wrong").length];
  const shown = of(which);
  const { columns = [], example = 0 } = importing.read.value ?? {};
  const left = columns.filter(({ field, name }) => field === ignored && name).map(({ name }) => name).join(", ");
  return (
    <>
      <div role="status">
        {fresh > 0 && <p><strong>{text("console.canCreate", { n: fresh })}</strong></p>}
        {fresh === 0 && <p><strong>{text(wrong > 0 ? "console.noneGood" : "console.allExist")}</strong></p>}
        {existing > 0 && fresh + wrong > 0 && <p>{text("console.rowsExist", { n: existing })}</p>}
        {wrong > 0 && fresh + existing > 0 && <p>{text("console.rowsWrong", { n: wrong })}</p>}
        {left && <p class="muted">{text("console.notImported", { columns: left })}</p>}
        {example > 0 && <p class="muted">{text("console.exampleLeftOut", { row: String(example) })}</p>}
      </div>
      <Table<Row>
        label={text("console.rows")}
        empty={text("console.noRows")}
        on={[rows, which]}
        keyOf={({ person }) => String(person.row)}
        load={(from = "0") => {
          const next = Number(from) + pageSize;
          const metadata = { ...(next < shown.length && { continuation: String(next) }) };
          return Promise.resolve({ results: shown.slice(Number(from), next), metadata });
        }}
        columns={[
          { title: text("console.row"), value: ({ person }) => person.row, number: true },
          { title: text("console.name"), value: ({ person }) => nameOf(person) },
          { title: text("console.username"), value: ({ person }) => person.username ?? "" },
          { title: text("console.email"), value: ({ person }) => (person.emails ?? []).join(", ") },
          { title: text("console.phone"), value: ({ person }) => (person.phones ?? []).join(", ") },
          { title: text("console.outcome"), value: outcomeWords, show: (row) => <Outcome row={row} /> },
        ]}
      >
        <div class="choices" role="group" aria-label={text("console.show")}>
          {(Object.keys(filters) as Which[]).map((one) => (
            <button key={one} type="button" aria-pressed={which === one} onClick={() => setWhich(one)}>
              {text(filters[one])} <span class="muted">{count(of(one).length)}</span>
            </button>
          ))}
        </div>
      </Table>
      <footer class="acts">
        <ChooseFile importing={importing} label={text("console.chooseOther")} />
        {fresh > 0 ? (
          <button type="button" class="primary" onClick={() => void importing.make()}>
            {text("console.makeMany", { n: fresh })}
          </button>
        ) : (
          <button type="button" onClick={onDone}>{text("console.finish")}</button>
        )}
      </footer>
    </>
  );
}

/** nameOf is what the person will be called, as far as the file says it. */
function nameOf({ display_name, first_name = "", last_name = "" }: Row["person"]): string {
  return display_name ?? `${first_name} ${last_name}`.trim();
}
