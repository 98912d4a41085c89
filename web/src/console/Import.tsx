import { useState } from "preact/hooks";
import type { Schemas } from "../client/index";
import { formatCSV } from "../kit/csv";
import { describe } from "../kit/describe";
import { Icon } from "../kit/Icon";
import { mostPeople } from "../kit/limits";
import { save } from "../kit/save";
import { client } from "../kit/state/session";
import { text } from "../text/text";
import { type Person, readPeople } from "./state/spreadsheet";

type Result = Schemas["CreatedUserResult"];

/** What a column may be called, as the interface calls it. */
const known = [
  "display_name", "first_name", "last_name", "username", "email", "phone", "title", "department", "password", "issue_key",
];

/** Import makes many people from a CSV file, after it has shown what is wrong in which row. */
export function Import({ organization }: { organization: string }) {
  const [people, setPeople] = useState<readonly Person[]>([]);
  const [latin, setLatin] = useState(false);
  const [results, setResults] = useState<readonly Result[]>([]);
  const [problem, setProblem] = useState("");
  const [step, setStep] = useState<"file" | "checking" | "checked" | "making" | "made">("file");

  const all = async (of: readonly Person[], dry: boolean) => {
    const out: Result[] = [];
    setResults(out);
    for (let from = 0; from < of.length; from += mostPeople) {
      const users = of.slice(from, from + mostPeople).map(({ row: _, ...user }) => user);
      const made = await client.in(organization).createUsers({ users, ...(dry && { dry_run: true }) });
      out.push(...made.results.map((one) => ({ ...one, index: one.index + from })));
      setResults([...out]);
    }
  };
  const attempt = async (work: () => Promise<void>, before: typeof step) => {
    try {
      setProblem("");
      await work();
    } catch (error) {
      setProblem(describe(error));
      setStep(before);
    }
  };
  const read = (file: File) =>
    attempt(async () => {
      const found = readPeople(new Uint8Array(await file.arrayBuffer()));
      if ("problem" in found) {
        const { code, row = 0, column = 0, name = String(column), cell = "" } = found.problem;
        setProblem(text(`console.file_${code}`, { row, column, name, cell }));
        setPeople([]);
        setResults([]);
        setLatin(false);
        setStep("file");
        return;
      }
      setPeople(found.people);
      setLatin(found.latin);
      setStep("checking");
      await all(found.people, true);
      setStep("checked");
    }, "file");
  const good = people.filter((_, at) => (results[at]?.status ?? 0) < 300);
  const make = () =>
    attempt(async () => {
      setStep("making");
      setPeople(good);
      await all(good, false);
      setStep("made");
    }, "checked");
  const wrong = results.filter((one) => one.status >= 300);
  const report = () =>
    save("people.csv", new Blob([formatCSV([
      ["row", "username", "status", "token", "field", "message"],
      ...results.map((one) => [people[one.index]?.row ?? "", people[one.index]?.username ?? "", one.status,
        one.user?.token ?? "", one.error?.field ?? "", one.error?.message ?? ""]),
    ])], { type: "text/csv" }));

  return (
    <div class="import">
      <p>{text("console.importHow", { columns: known.join(", ") })}</p>
      {(step === "file" || step === "checked") && (
        <p>
          <label class="button">
            <Icon name="file" /> {text("console.chooseFile")}
            <input
              class="unseen"
              type="file"
              accept=".csv,.txt,.tsv,text/csv,text/plain,text/tab-separated-values"
              onChange={(event) => {
                const file = event.currentTarget.files?.[0];
                if (file) void read(file);
              }}
            />
          </label>
        </p>
      )}
      {(step === "checking" || step === "making") && (
        <p role="status">
          <progress max={people.length} value={results.length} aria-label={text("console.progress")} />{" "}
          {text("console.ofAll", { n: results.length, all: people.length })}
        </p>
      )}
      {problem && <p role="alert" class="problem">{problem}</p>}
      {latin && step !== "file" && <p role="status">{text("console.fileLatin")}</p>}
      {step === "checked" && (
        <p role="status">{text("console.checked", { n: good.length, wrong: wrong.length })}</p>
      )}
      {step === "made" && (
        <p role="status">{text("console.manyMade", { n: results.length - wrong.length, wrong: wrong.length })}</p>
      )}
      {wrong.length > 0 && (
        <div class="table" tabIndex={0} role="region" aria-label={text("console.wrongRows")}>
          <table>
            <thead>
              <tr>
                <th scope="col" class="number">{text("console.row")}</th>
                <th scope="col">{text("console.name")}</th>
                <th scope="col">{text("console.wrong")}</th>
              </tr>
            </thead>
            <tbody>
              {wrong.slice(0, 100).map((one) => (
                <tr key={one.index}>
                  <td class="number">{people[one.index]?.row}</td>
                  <td dir="auto">{people[one.index]?.display_name ?? people[one.index]?.username}</td>
                  <td>{one.error?.field && <code>{one.error.field}</code>} {one.error?.message}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <footer>
        {step === "made" && (
          <button type="button" onClick={report}>
            <Icon name="download" /> {text("console.report")}
          </button>
        )}
        {step === "checked" && (
          <button type="button" class="primary" disabled={good.length === 0} onClick={() => void make()}>
            {text("console.makeMany", { n: good.length })}
          </button>
        )}
      </footer>
    </div>
  );
}
