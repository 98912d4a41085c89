import { useState } from "preact/hooks";
import { Confirm } from "../kit/Confirm";
import { Field } from "../kit/Field";
import { session } from "../kit/state/session";
import { useBusy } from "../kit/useBusy";
import { text } from "../text/text";
import type { Operation } from "./code/openapi";
import { exampleOf, type Filled, nameOf, pretty, requestOf } from "./code/request";
import { Source } from "./Source";

interface Outcome {
  status: string;
  headers: string;
  body: string;
}

const shownBytes = 200_000;

interface Props {
  call: Operation;
  filled: Filled;
  onFill: (filled: Filled) => void;
}

/** TryIt makes the call with the session of the page. One that changes something asks first. */
export function TryIt({ call, filled, onFill }: Props) {
  const [asks, setAsks] = useState(false);
  const { busy, run: alone } = useBusy();
  const [outcome, setOutcome] = useState<Outcome>();
  const fields = call.parameters.filter(({ in: place }) => place !== "cookie");
  const sends = call.method !== "GET" && "application/json" in call.body;
  const body = filled.body ?? pretty(exampleOf(call) ?? {});
  const { url } = requestOf(call, "json", { base: location.origin }, filled);
  const address = url.slice(location.origin.length);
  const headers: Record<string, string> = sends ? { "Content-Type": "application/json" } : {};
  for (const one of fields) {
    const value = filled.parameters[nameOf(one)];
    if (one.in === "header" && value) headers[one.name] = value;
  }

  const dotted = fields.filter((one) => one.in === "path" && /^\.\.?$/.test(filled.parameters[nameOf(one)] ?? ""));
  const run = () => alone(async () => setOutcome(await request(call.method, address, headers, sends ? body : undefined)));
  return (
    <form
      class="try"
      onSubmit={(event) => {
        event.preventDefault();
        if (!session.value || dotted.length > 0) return;
        if (call.method === "GET") void run();
        else setAsks(true);
      }}
    >
      {(fields.length > 0 || sends) && <p class="muted">{text("docs.fill")}</p>}
      <div class="inputs" translate={false}>
        {fields.map((one) => (
          <Field
            key={nameOf(one)}
            label={one.name}
            hint={text(`docs.${one.in}`)}
            problem={dotted.includes(one) ? text("docs.dots") : undefined}
            name={one.name}
            verbatim
            value={filled.parameters[nameOf(one)] ?? ""}
            placeholder={one.examples.length > 0 ? String(one.examples[0]) : ""}
            required={one.required ?? false}
            onInput={(event) =>
              onFill({ ...filled, parameters: { ...filled.parameters, [nameOf(one)]: event.currentTarget.value } })}
          />
        ))}
      </div>
      {sends && (
        <p class="field">
          <label for="try-body">{text("docs.body")}</label>
          <textarea
            id="try-body"
            rows={Math.min(16, body.split("\n").length + 1)}
            spellcheck={false}
            value={body}
            onInput={(event) => onFill({ ...filled, body: event.currentTarget.value })}
          />
        </p>
      )}
      {session.value && (
        <button type="submit" class="primary" aria-disabled={busy}>
          {text("docs.send")}
        </button>
      )}
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
          <Source
            words={`${outcome.status}\n${outcome.headers}\n\n${outcome.body}`}
            language="http"
            label={text("docs.answer")}
          />
        )}
      </div>
    </form>
  );
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
