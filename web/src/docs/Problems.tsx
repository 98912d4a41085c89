import { Link } from "../kit/Link";
import { text } from "../text/text";
import type { Answer, Operation } from "./code/openapi";
import { Anchor } from "./Fields";
import { Inlines } from "./Inlines";
import { spans } from "./Prose";
import type { Notes } from "./tree";

/** Problems shows with what a call may be refused: first its own errors, then those of many calls. */
export function Problems({ call, notes }: { call: Operation; notes: Notes | undefined }) {
  const refusals = call.answers.filter(({ status }) => status >= "400");
  const general = refusals.map((answer) => [answer, codeOf(answer)] as const);
  const usual = general.map(([, code]) => code);
  const named = notes?.calls[`${call.method} ${call.path}`]?.codes ?? [];
  const particular = named
    .filter((code) => !usual.includes(code) && refusals.some(({ status }) => status === notes?.codes[code]?.status))
    .sort((a, b) => Number(notes?.codes[a]?.status) - Number(notes?.codes[b]?.status));
  return (
    <>
      {particular.length > 0 && (
        <dl class="errors" lang="en">
          {particular.map((code) => (
            <Problem key={code} status={notes?.codes[code]?.status ?? ""} code={code} notes={notes} />
          ))}
        </dl>
      )}
      <details open={notes !== undefined && particular.length === 0}>
        <summary>{text("docs.usualErrors")}</summary>
        <dl class="errors" lang="en">
          {general.map(([{ status, description }, code]) => (
            <Problem key={status} status={status} code={code} said={description} notes={notes} />
          ))}
        </dl>
      </details>
      <p class="all">
        <Link to="/docs/guides/errors">{text("docs.allErrors")}</Link>
      </p>
    </>
  );
}

/** codeOf is the code of an error as the document shows it. */
function codeOf({ content }: Answer): string | undefined {
  const [media] = Object.values(content);
  return (media?.examples[0] as { error?: { code?: string } } | undefined)?.error?.code;
}

function Problem({ status, code, said, notes }: { status: string; code: string | undefined; said?: string; notes: Notes | undefined }) {
  const note = code === undefined ? undefined : notes?.codes[code];
  const id = `error.${code ?? status}`;
  return (
    <div id={id} tabIndex={-1}>
      <dt>
        <code>{status}</code>
      </dt>
      <dd>
        {code && (
          <p>
            <code>{code}</code>
            <Anchor id={id} name={code} />
          </p>
        )}
        {note ? (
          <p>
            <Inlines of={note.meaning} /> <strong>
              <Inlines of={note.advice} />
            </strong>
          </p>
        ) : (
          said && <p>{spans(said)}</p>
        )}
      </dd>
    </div>
  );
}
