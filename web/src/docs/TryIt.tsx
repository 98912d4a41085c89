import { useState } from "preact/hooks";
import { Confirm } from "../kit/Confirm";
import { Field } from "../kit/Field";
import { useBusy } from "../kit/useBusy";
import { text } from "../text/text";
import { examplesOf, type Operation } from "./document";

interface Outcome {
  status: string;
  headers: string;
  body: string;
}

const shownBytes = 200_000;

/** TryIt makes the call with the session of the page. One that changes something asks first. */
export function TryIt({ call }: { call: Operation }) {
  const json = call.body["application/json"];
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [body, setBody] = useState(JSON.stringify(examplesOf(json)[0] ?? {}, undefined, 2));
  const [asks, setAsks] = useState(false);
  const { busy, run: alone } = useBusy();
  const [outcome, setOutcome] = useState<Outcome>();
  const fields = call.parameters.filter(({ in: place }) => place !== "cookie");
  const address = addressOf(call, values);
  const headers: Record<string, string> = {};
  for (const { name, in: place } of fields) if (place === "header" && values[name]) headers[name] = values[name];
  if (json && call.method !== "GET") headers["Content-Type"] = "application/json";

  const run = () =>
    alone(async () => {
      setOutcome(await request(call.method, address, headers, headers["Content-Type"] ? body : undefined));
    });
  return (
    <form
      class="try"
      onSubmit={(event) => {
        event.preventDefault();
        if (call.method === "GET") void run();
        else setAsks(true);
      }}
    >
      <div translate={false}>
        {fields.map(({ name, in: place, required, example }) => (
          <Field
            key={`${place} ${name}`}
            label={name}
            hint={text(`docs.${place}`)}
            name={name}
            value={values[name] ?? ""}
            placeholder={example === undefined ? "" : String(example)}
            required={required ?? false}
            onInput={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
          />
        ))}
      </div>
      {headers["Content-Type"] && (
        <p class="field">
          <label for="try-body">{text("docs.body")}</label>
          <textarea
            id="try-body"
            rows={Math.min(16, body.split("\n").length + 1)}
            spellcheck={false}
            value={body}
            onInput={(event) => setBody(event.currentTarget.value)}
          />
        </p>
      )}
      <pre tabIndex={0} role="region" aria-label="curl">
        {curl(call.method, address, headers, headers["Content-Type"] ? body : undefined)}
      </pre>
      <button type="submit" class="primary" aria-disabled={busy}>
        {text("docs.send")}
      </button>
      {asks && (
        <Confirm title={text("docs.sure")} act={text("docs.send")} onConfirm={run} onClose={() => setAsks(false)}>
          <p>{text("docs.changes")}</p>
          <p>
            <code>
              {call.method} {address}
            </code>
          </p>
        </Confirm>
      )}
      <div aria-live="polite">
        {outcome && (
          <pre tabIndex={0} role="region" aria-label={text("docs.answer")}>
            {`${outcome.status}\n${outcome.headers}\n\n${outcome.body}`}
          </pre>
        )}
      </div>
    </form>
  );
}

/** addressOf fills the parameters of a path and of the query in. */
function addressOf(call: Operation, values: Readonly<Record<string, string>>): string {
  const path = call.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] || `{${name}}`));
  const query = new URLSearchParams();
  for (const { name, in: place } of call.parameters) {
    const value = values[name];
    if (place === "query" && value) query.set(name, value);
  }
  return query.size > 0 ? `${path}?${query}` : path;
}

/** curl is the same call for a terminal, with a key in place of the session. */
function curl(method: string, address: string, headers: Readonly<Record<string, string>>, body?: string): string {
  const quote = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;
  const lines = [`curl -i -u "$KEY:$SECRET" -X ${method} ${quote(location.origin + address)}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${quote(`${name}: ${value}`)}`);
  if (body !== undefined) lines.push(`-d ${quote(body)}`);
  return lines.join(" \\\n  ");
}

/** request makes a call as it is written, which no typed method does, and tells its answer, whatever that is. */
async function request(
  method: string,
  address: string,
  headers: Record<string, string>,
  body?: string,
): Promise<Outcome> {
  const stop = AbortSignal.timeout(60_000);
  try {
    const answer = await fetch(address, { method, headers, signal: stop, ...(body === undefined ? {} : { body }) });
    const said = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
    return { status: `${answer.status} ${answer.statusText}`, headers: said, body: await shown(answer) };
  } catch {
    return { status: text("noConnection"), headers: "", body: "" };
  }
}

async function shown(answer: Response): Promise<string> {
  const kind = answer.headers.get("Content-Type") ?? "";
  if (!/json|text/.test(kind)) return kind;
  const body = (await answer.text()).slice(0, shownBytes);
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2);
  } catch {
    return body;
  }
}
