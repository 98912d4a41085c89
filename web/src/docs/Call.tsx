import { Icon } from "../kit/Icon";
import { Link } from "../kit/Link";
import { session } from "../kit/state/session";
import { text } from "../text/text";
import { type Answer, examplesOf, fieldsOf, type Operation, type Schema, typeOf } from "./document";
import { Prose, spans } from "./Prose";
import { TryIt } from "./TryIt";

/** Call shows one: what it takes, what it answers, and a way to try it. */
export function Call({ call }: { call: Operation }) {
  const bodies = Object.entries(call.body);
  const json = call.body["application/json"] ?? bodies[0]?.[1];
  return (
    <article>
      <header>
        <Link to="/docs" class="button back" label={text("back")}>
          <Icon name="back" />
        </Link>
        <h2 lang="en">{call.summary}</h2>
      </header>
      <p class="address">
        <code>
          <span class={`method ${call.method.toLowerCase()}`}>{call.method}</span> {call.path}
        </code>
      </p>
      <Prose words={call.description} />
      {call.parameters.length > 0 && (
        <section>
          <h3>{text("docs.parameters")}</h3>
          <Rows
            rows={call.parameters.map((p) => ({
              name: p.name,
              place: text(`docs.${p.in}`),
              schema: p.schema,
              required: p.required ?? false,
              said: p.description,
            }))}
          />
        </section>
      )}
      {json?.schema && (
        <section>
          <h3>{text("docs.body")}</h3>
          <p class="muted">
            <code>{bodies.map(([kind]) => kind).join(", ")}</code>
          </p>
          <Fields schema={json.schema} />
          {examplesOf(json).map((example, i) => (
            <Example key={i} of={example} />
          ))}
        </section>
      )}
      <section>
        <h3>{text("docs.answers")}</h3>
        {call.answers.filter(({ status }) => status < "400").map((answer) => (
          <Success key={answer.status} answer={answer} />
        ))}
        <h3>{text("docs.errors")}</h3>
        <dl class="errors" lang="en">
          {call.answers.filter(({ status }) => status >= "400").map(({ status, description }) => (
            <div key={status}>
              <dt>
                <code>{status}</code>
              </dt>
              <dd>{spans(description)}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section>
        <h3>{text("docs.try")}</h3>
        {session.value ? <TryIt call={call} /> : <p class="muted">{text("docs.signInToTry")}</p>}
      </section>
    </article>
  );
}

function Success({ answer }: { answer: Answer }) {
  const media = Object.values(answer.content ?? {})[0];
  return (
    <>
      <p lang="en">
        <code>{answer.status}</code> {spans(answer.description)}
      </p>
      {media?.schema && <Fields schema={media.schema} />}
      {examplesOf(media).map((example, i) => (
        <Example key={i} of={example} />
      ))}
    </>
  );
}

function Example({ of }: { of: unknown }) {
  return (
    <pre tabIndex={0} role="region" aria-label={text("docs.example")}>
      {typeof of === "string" ? of : JSON.stringify(of, undefined, 2)}
    </pre>
  );
}

interface Row {
  name: string;
  place?: string;
  schema: Schema;
  required: boolean;
  said?: string | undefined;
}

function Rows({ rows, depth = 0 }: { rows: readonly Row[]; depth?: number }) {
  return (
    <dl class="rows">
      {rows.map(({ name, place, schema, required, said }) => {
        const inner = depth < 4 ? fieldsOf(schema) : [];
        return (
          <div key={`${place} ${name}`}>
            <dt>
              <code>{name}</code>
              {place && <small>{place}</small>}
              {required && <small class="required">{text("docs.required")}</small>}
            </dt>
            <dd>
              <code class="type">{typeOf(schema)}</code>
              {(said ?? schema.description) && <Prose words={said ?? schema.description ?? ""} />}
              {inner.length > 0 && (
                <details open={depth === 0 && name === "reply"}>
                  <summary>{text("docs.fields", { n: inner.length })}</summary>
                  <Rows rows={inner.map(([n, s, r]) => ({ name: n, schema: s, required: r }))} depth={depth + 1} />
                </details>
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

/** Fields shows those of an object; of one that is in the envelope, those of its reply. */
function Fields({ schema }: { schema: Schema }) {
  const fields = fieldsOf(schema);
  if (fields.length === 0) return <p class="muted">{<code>{typeOf(schema)}</code>}</p>;
  return <Rows rows={fields.map(([name, one, required]) => ({ name, schema: one, required }))} />;
}
