import { useState } from "preact/hooks";
import { Confirm } from "../kit/Confirm";
import { formatCSV } from "../kit/csv";
import { Icon } from "../kit/Icon";
import { save } from "../kit/save";
import { text } from "../text/text";
import { Outcome, outcomeWords } from "./Outcome";
import { fieldName } from "./roster";
import type { Importing } from "./state/importing";
import type { Row } from "./state/judged";

/** ImportDone says what became of the file, and keeps the secrets from being lost. */
export function ImportDone({ importing, onDone }: { importing: Importing; onDone: () => void }) {
  const [leaving, setLeaving] = useState<() => void>();
  const rows = importing.rows.value;
  const made = rows.filter(({ state }) => state === "made");
  const wrong = rows.filter(({ state }) => state === "wrong");
  const existing = rows.length - made.length - wrong.length;
  const secrets = made.some(({ made: user }) => user?.api_secret);
  const lost = made.filter(({ person, repeated }) => person.issue_key && repeated).length;
  const locked = made.some(({ person }) => !person.password && !person.issue_key);
  const unsaved = importing.holdsSecrets();
  const leave = (act: () => void) => (unsaved ? setLeaving(() => act) : act());
  const download = () => {
    save("people.csv", new Blob([report(rows, secrets)], { type: "text/csv" }));
    importing.keep();
  };
  return (
    <>
      <div role="status">
        <p><strong>{text("console.manyMade", { n: made.length })}</strong></p>
        {existing > 0 && <p>{text("console.rowsExist", { n: existing })}</p>}
        {wrong.length > 0 && <p>{text("console.rowsSkipped", { n: wrong.length })}</p>}
        {locked && <p>{text("console.noPasswords")}</p>}
        {unsaved && <p class="problem">{text("console.secretsHere")}</p>}
        {lost > 0 && <p class="problem">{text("console.secretsLost", { n: lost })}</p>}
      </div>
      {wrong.length > 0 && (
        <ul class="skipped" aria-label={text("console.stateWrong")}>
          {wrong.slice(0, 20).map((row) => (
            <li key={row.person.row}>
              {text("console.row")} {row.person.row}: <bdi>{row.person.display_name ?? row.person.username}</bdi>
              <Outcome row={row} />
            </li>
          ))}
        </ul>
      )}
      <footer class="acts">
        <button type="button" class={secrets ? "primary" : undefined} onClick={download}>
          <Icon name="download" /> {text("console.report")}
        </button>
        <button type="button" onClick={() => leave(() => importing.restart())}>{text("console.importAgain")}</button>
        <button type="button" class={secrets ? undefined : "primary"} onClick={() => leave(onDone)}>{text("console.finish")}</button>
      </footer>
      {leaving && (
        <Confirm
          title={text("console.closeUnsavedSecrets")}
          act={text("console.closeAnyway")}
          danger
          onClose={() => setLeaving(undefined)}
          onConfirm={() => Promise.resolve(leaving())}
        >
          <p>{text("console.closeUnsavedSecretsWhy")}</p>
        </Confirm>
      )}
    </>
  );
}

/** report is a table of what became of each row, with the keys where there are some. */
function report(rows: readonly Row[], secrets: boolean): string {
  const head = [
    text("console.row"), text("console.outcome"), fieldName("display_name"), fieldName("username"), fieldName("emails"),
    fieldName("phones"), text("console.token"), ...(secrets ? [text("console.key"), text("console.secret")] : []),
  ];
  return formatCSV([head, ...rows.map((row) => {
    const { person, made, existing } = row;
    const user = made ?? existing?.user;
    return [
      person.row, outcomeWords(row), user?.display_name ?? person.display_name ?? "", person.username ?? "",
      (person.emails ?? []).join(", "), (person.phones ?? []).join(", "), user?.token ?? "",
      ...(secrets ? [made?.api_key ?? "", made?.api_secret ?? ""] : []),
    ];
  })]);
}
