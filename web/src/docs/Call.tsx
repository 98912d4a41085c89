import { useEffect, useState } from "preact/hooks";
import { Link } from "../kit/Link";
import { session } from "../kit/state/session";
import { text } from "../text/text";
import { titleID, useArrival } from "./arrive";
import { Code } from "./Code";
import type { Answer, Media, Operation } from "./code/openapi";
import { type Filled, nameOf, pretty } from "./code/request";
import { Method } from "./Contents";
import { Fields, Rows } from "./Fields";
import { guideAt, loadNotes } from "./guides";
import { Problems } from "./Problems";
import { Prose, spans } from "./Prose";
import { sample } from "./schema";
import { Source } from "./Source";
import type { Notes } from "./tree";
import { TryIt } from "./TryIt";

/** Call shows one: what it takes and answers, beside it code and examples, and a way to try it. */
export function Call({ call }: { call: Operation }) {
  const [filled, setFilled] = useState<Filled>({ parameters: {} });
  const [notes, setNotes] = useState<Notes>();
  useArrival(notes);
  useEffect(() => {
    loadNotes().then(setNotes, () => setNotes({ calls: {}, codes: {} })); // the document's own words are shown then
  }, []);
  const guide = notes?.calls[`${call.method} ${call.path}`];
  const bodies = Object.entries(call.body);
  const json = call.body["application/json"] ?? bodies[0]?.[1];
  const successes = call.answers.filter(({ status }) => status < "400");
  return (
    <article class="call">
      <header>
        <h2 id={titleID} tabIndex={-1} lang="en">
          {call.summary}
        </h2>
        <p class="address" translate={false}>
          <Method of={call.method} /> <code>{call.path}</code>
        </p>
        <Prose words={call.description} />
        {guide && (
          <p>
            <Link to={`/docs/guides/${guide.guide}${guide.id && `#${guide.id}`}`}>
              {text("docs.toGuide", { guide: guideAt(guide.guide)?.title ?? guide.guide })}
            </Link>
          </p>
        )}
      </header>
      <div class="beside">
        <Code call={call} filled={filled} />
        <Examples answers={successes} />
      </div>
      <div class="text">
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
                id: nameOf(p),
              }))}
              at={(row) => row.id ?? row.name}
            />
          </section>
        )}
        {json?.schema && (
          <section>
            <h3>{text("docs.body")}</h3>
            <p class="muted">
              <code>{bodies.map(([kind]) => kind).join(", ")}</code>
            </p>
            <Fields schema={json.schema} at="body" />
          </section>
        )}
        <section>
          <h3>{text("docs.answers")}</h3>
          {successes.map((answer) => (
            <Success key={answer.status} answer={answer} />
          ))}
        </section>
        <section>
          <h3>{text("docs.errors")}</h3>
          <Problems call={call} notes={notes} />
        </section>
        <section>
          <h3>{text("docs.try")}</h3>
          {!session.value && <p class="muted">{text("docs.signInToTry")}</p>}
          <TryIt call={call} filled={filled} onFill={setFilled} />
        </section>
      </div>
    </article>
  );
}

function Success({ answer: { status, description, content } }: { answer: Answer }) {
  const media = Object.values(content)[0];
  return (
    <>
      <p lang="en">
        <code>{status}</code> {spans(description)}
      </p>
      {media?.schema && <Fields schema={media.schema} at={status} />}
    </>
  );
}

/** Examples shows what comes back, each form of it. */
function Examples({ answers }: { answers: readonly Answer[] }) {
  return (
    <>
      {answers.flatMap(({ status, content }) => Object.entries(content).map(([kind, media]) => {
        const [example] = examplesOf(kind, media);
        return example !== undefined && (
          <section key={`${status} ${kind}`}>
            <h3>
              {text("docs.exampleAnswer")}{" "}
              <code>
                {status} {kind}
              </code>
            </h3>
            <Source
              words={typeof example === "string" ? example : pretty(example)}
              language={typeof example === "string" ? "http" : "json"}
              label={text("docs.example")}
            />
          </section>
        );
      }))}
    </>
  );
}

/** examplesOf are the document's, or one that is made of the schema. The bytes of a file are none to look at. */
function examplesOf(kind: string, { examples, schema }: Media): readonly unknown[] {
  if (!/json|^text\//.test(kind)) return [];
  return examples.length > 0 || !schema ? examples : [sample(schema)];
}
