import { Field } from "../kit/Field";
import { text, type Text } from "../text/text";
import { own } from "./reader";

const fields: readonly (readonly ["key" | "secret" | "organization", Text])[] = [
  ["key", "key"],
  ["secret", "secret"],
  ["organization", "docs.organization"],
];

/** Yours takes what the reader wants to have in code. It lives in the memory of the page. */
export function Yours({ open }: { open: boolean }) {
  return (
    <details class="yours" open={open}>
      <summary>{text("docs.yours")}</summary>
      <div>
        <p class="muted">{text("docs.yoursKept")}</p>
        {fields.map(([name, label]) => (
          <Field
            key={name}
            label={text(label)}
            verbatim
            autocomplete="off"
            value={own.value[name]}
            onInput={(event) => (own.value = { ...own.value, [name]: event.currentTarget.value.trim() })}
          />
        ))}
      </div>
    </details>
  );
}
