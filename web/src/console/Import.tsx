import { useState } from "preact/hooks";
import type { Body, Schemas } from "../client/index";
import { formatCSV, parseCSV } from "../state/csv";
import { administer } from "../state/elevation";
import { client } from "../state/session";
import { text } from "../text/text";
import { describe } from "../view/describe";
import { Icon } from "../view/Icon";
import { save } from "../view/save";

type Result = Schemas["CreatedUserResult"];

/** What a column may be called, as the interface calls it. */
const known = ["display_name", "first_name", "last_name", "username", "email", "phone", "title", "department", "password"] as const;
type Person = Partial<Record<(typeof known)[number], string>>;

/** How many the interface makes in one call. */
const atOnce = 500;

/** Import makes many people from a CSV file, after it has shown what is wrong in which row. */
export function Import({ organization }: { organization: string }) {
  const [people, setPeople] = useState<readonly Person[]>([]);
  const [results, setResults] = useState<readonly Result[]>([]);
  const [problem, setProblem] = useState("");
  const [step, setStep] = useState<"file" | "checking" | "checked" | "making" | "made">("file");

  const all = async (of: readonly Person[], dry: boolean) => {
    const out: Result[] = [];
    setResults(out);
    for (let from = 0; from < of.length; from += atOnce) {
      const users = of.slice(from, from + atOnce) as Body<"createUser">[];
      const request_id = crypto.randomUUID(); // asked again after the password, it makes none twice
      const made = await administer(() =>
        client.in(organization).createUsers({ users, ...(dry && { dry_run: true }) }, { request_id }),
      );
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
      const [head = [], ...rows] = parseCSV(await file.text());
      const names = head.map((name) => name.trim().toLowerCase().replaceAll(/[\s-]+/g, "_"));
      const strange = names.filter((name) => !(known as readonly string[]).includes(name));
      if (rows.length === 0 || strange.length > 0) {
        setProblem(text(rows.length === 0 ? "console.emptyFile" : "console.strangeColumns", { names: strange.join(", ") }));
        return;
      }
      const found = rows.map((row): Person =>
        Object.fromEntries(names.map((name, at) => [name, (row[at] ?? "").trim()]).filter(([, value]) => value !== "")),
      );
      setPeople(found);
      setStep("checking");
      await all(found, true);
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
      ...results.map((one) => [one.index + 2, people[one.index]?.username ?? "", one.status, one.user?.token ?? "",
        one.error?.field ?? "", one.error?.message ?? ""]),
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
              accept=".csv,text/csv"
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
                  <td class="number">{one.index + 2}</td>
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
