import type { TargetedInputEvent } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { text } from "../text/text";
import { useProblem } from "./Form";
import { Icon } from "./Icon";
import { leastPassword } from "./limits";

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
  /** The id of a datalist of what it may hold. */
  list?: string;
  onInput?: (event: TargetedInputEvent<HTMLInputElement>) => void;
}

/** useShown tells whether a password is shown. It is hidden again when its form is sent, so that browsers offer to keep it. */
function useShown(secret: boolean) {
  const [shown, show] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const form = input.current?.form;
    if (!secret || !form) return undefined;
    const hide = () => show(false);
    form.addEventListener("submit", hide);
    return () => form.removeEventListener("submit", hide);
  }, [secret]);
  return { input, shown, show };
}

/** Field is an input of one line with its label. A password can be looked at, and a new one says how long it has to be. */
export function Field({ label, hint, problem: own, refusedAs, type = "text", value, verbatim, optional, ...input }: Props) {
  const id = useId();
  const refused = useProblem(...[input.name, refusedAs].filter((name) => name !== undefined));
  const problem = own || refused;
  const secret = type === "password";
  const isNew = secret && input.autocomplete === "new-password";
  const wanted = isNew ? `${text("passwordLeast", { n: leastPassword })} ${hint ?? text("passwordAdvice")}` : hint;
  const said = problem || wanted;
  const { input: ref, shown, show } = useShown(secret);
  const field = (
    <input
      ref={ref}
      type={(secret && shown ? "text" : type) as "text"}
      {...(input.onInput ? { value } : { defaultValue: value })}
      {...input}
      // By its other name it becomes the attribute: the property is a boolean, for which "off" is true.
      {...((verbatim || secret) && { autocapitalize: "none", autoCorrect: "off", spellcheck: false })}
      id={id}
      aria-describedby={said ? `${id}-hint` : undefined}
      aria-invalid={problem ? true : undefined}
    />
  );
  return (
    <p class="field">
      <label for={id}>{optional ? text("optional", { label }) : label}</label>
      {secret ? (
        <span class="secretive">
          {field}
          <button
            type="button"
            class="icon"
            aria-label={text(shown ? "hideTyped" : "showTyped")}
            title={text(shown ? "hideTyped" : "showTyped")}
            aria-controls={id}
            onClick={() => show(!shown)}
          >
            <Icon name={shown ? "eyeOff" : "eye"} />
          </button>
        </span>
      ) : (
        field
      )}
      {said && (
        <small id={`${id}-hint`} class={problem ? "problem" : undefined}>
          {said}
        </small>
      )}
    </p>
  );
}
