import type { TargetedInputEvent } from "preact";
import { useId } from "preact/hooks";
import { text } from "../text/text";
import { useProblem } from "./Form";

interface Props {
  label: string;
  /** Said below the input. */
  hint?: string | undefined;
  /** What is wrong with what it holds; of what its form was refused for it knows by itself. */
  problem?: string | undefined;
  /** What refusals call it, besides its name. */
  refusedAs?: string;
  type?: "text" | "password" | "tel" | "url" | "number" | "date" | "datetime-local" | "time" | "search";
  name?: string;
  /** What it holds; where nobody takes what is typed (onInput), only what it holds at first. */
  value?: string;
  placeholder?: string;
  autocomplete?: string;
  inputMode?: "numeric" | "text" | "email";
  /** It holds a name or an address for programs: nothing is capitalized or corrected. */
  verbatim?: boolean;
  required?: boolean;
  /** It may stay empty where others may not, which is said. */
  optional?: boolean;
  readOnly?: boolean;
  disabled?: boolean;
  min?: number | string;
  max?: number | string;
  maxLength?: number;
  onInput?: (event: TargetedInputEvent<HTMLInputElement>) => void;
}

/** Field is an input of one line with its label. */
export function Field({ label, hint, problem: own, refusedAs, type = "text", value, verbatim, optional, ...input }: Props) {
  const id = useId();
  const refused = useProblem(...[input.name, refusedAs].filter((name) => name !== undefined));
  const problem = own || refused;
  const said = problem || hint;
  return (
    <p class="field">
      <label for={id}>{optional ? text("optional", { label }) : label}</label>
      <input
        type={type as "text"}
        {...(input.onInput ? { value } : { defaultValue: value })}
        {...input}
        {...(verbatim && { autocapitalize: "none", autocorrect: "off", spellcheck: false })}
        id={id}
        aria-describedby={said ? `${id}-hint` : undefined}
        aria-invalid={problem ? true : undefined}
      />
      {said && (
        <small id={`${id}-hint`} class={problem ? "problem" : undefined}>
          {said}
        </small>
      )}
    </p>
  );
}
