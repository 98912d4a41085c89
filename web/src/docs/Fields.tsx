import { text } from "../text/text";
import type { Schema } from "./code/openapi";
import { Prose } from "./Prose";
import { fieldsOf, typeOf } from "./schema";

export interface Row {
  name: string;
  place?: string;
  schema: Schema;
  required: boolean;
  said?: string | undefined;
  /** Where it is on the page, unless its name says that. */
  id?: string;
}

/** How deep the fields of fields are shown: some schemas hold themselves. */
const deepest = 4;

/** Rows shows fields, each with an address: what stands before its name is `at`. */
export function Rows({ rows, at, depth = 0 }: { rows: readonly Row[]; at: (row: Row) => string; depth?: number }) {
  return (
    <dl>
      {rows.map((row) => {
        const { name, place, schema, required, said } = row;
        const inner = depth < deepest ? fieldsOf(schema) : [];
        const id = at(row);
        return (
          <div key={id} id={id} tabIndex={-1}>
            <dt>
              <code>{name}</code>
              <Anchor id={id} name={name} />
              {place && <small>{place}</small>}
              {required && <small class="required">{text("docs.required")}</small>}
            </dt>
            <dd>
              <code class="type">{typeOf(schema)}</code>
              {(said ?? schema.description) && <Prose words={said ?? schema.description ?? ""} />}
              {inner.length > 0 && (
                <details open={depth === 0 && name === "reply"}>
                  <summary>{text("docs.fields", { n: inner.length })}</summary>
                  <Rows
                    rows={inner.map(([one, of, needed]) => ({ name: one, schema: of, required: needed }))}
                    at={(one) => `${id}.${one.name}`}
                    depth={depth + 1}
                  />
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
export function Fields({ schema, at }: { schema: Schema; at: string }) {
  const fields = fieldsOf(schema);
  if (fields.length === 0) return <p class="muted">{<code>{typeOf(schema)}</code>}</p>;
  return (
    <Rows
      rows={fields.map(([name, one, required]) => ({ name, schema: one, required }))}
      at={({ name }) => `${at}.${name}`}
    />
  );
}

/** Anchor is the link to something that has an address of its own. */
export function Anchor({ id, name }: { id: string; name: string }) {
  return (
    <a class="anchor" href={`#${encodeURIComponent(id)}`} aria-label={text("docs.link", { name })}>
      #
    </a>
  );
}
