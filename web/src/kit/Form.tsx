import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { SignetError } from "../client/index";
import { text } from "../text/text";
import { describe } from "./describe";

/** What is wrong with a field, by its name in the interface. */
export type ProblemOf = (field: string) => string | undefined;

/** Form sends what its fields hold. What is refused stands at the field that the refusal names, or else below. */
export function Form(props: {
  act: string;
  danger?: boolean;
  onSubmit: (fields: FormData) => Promise<void>;
  onCancel?: () => void;
  children: (problemOf: ProblemOf) => ComponentChildren;
}) {
  const [refused, setRefused] = useState<{ field: string | undefined; words: string } | undefined>();
  const [told, setTold] = useState(false);
  const [busy, setBusy] = useState(false);
  const submit = async (form: HTMLFormElement) => {
    setBusy(true);
    setTold(false);
    try {
      await props.onSubmit(new FormData(form));
      setRefused(undefined);
    } catch (error) {
      setRefused({ field: error instanceof SignetError ? error.field : undefined, words: describe(error) });
    } finally {
      setBusy(false);
    }
  };
  const problemOf: ProblemOf = (field) => {
    if (!refused || refused.field !== field) return undefined;
    if (!told) queueMicrotask(() => setTold(true));
    return refused.words;
  };
  const fields = props.children(problemOf);
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(event.currentTarget);
      }}
    >
      {fields}
      <p role="alert" class="problem">
        {refused && !told ? refused.words : ""}
      </p>
      <footer>
        {props.onCancel && (
          <button type="button" onClick={props.onCancel}>
            {text("cancel")}
          </button>
        )}
        <button type="submit" class={props.danger ? "primary danger" : "primary"} disabled={busy}>
          {props.act}
        </button>
      </footer>
    </form>
  );
}

/** filled returns the fields that hold something. */
export function filled(fields: FormData, ...names: string[]): Record<string, string> {
  const out: Record<string, string> = {};
  for (const name of names) {
    const value = fields.get(name);
    if (typeof value === "string" && value.trim() !== "") out[name] = value.trim();
  }
  return out;
}
