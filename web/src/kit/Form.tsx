import { type ComponentChildren, createContext } from "preact";
import { useContext, useLayoutEffect, useRef, useState } from "preact/hooks";
import { SignetError } from "../client/index";
import { text } from "../text/text";
import { describe } from "./describe";
import { useBusy } from "./useBusy";

/** Why the last attempt was refused, and which field of the interface the refusal names. */
interface Refusal {
  field: string | undefined;
  /** In the language of the moment at which they are read. */
  words: () => string;
}

/** A form, as what is in it sees it. */
interface Surroundings {
  refused: Refusal | undefined;
  /** The names of the fields that say themselves what is wrong with them. */
  saying: Set<string>;
}

/** Amiss is what a page itself finds wrong with a field, by its name, before or in place of a refusal by the server. */
export class Amiss extends Error {
  override readonly name = "Amiss";

  constructor(readonly field: string, readonly words: () => string) {
    super(field);
  }
}

const FormContext = createContext<Surroundings | undefined>(undefined);

/**
 * useProblem is what is wrong with a field of the form that one is in, by what the interface calls the field. Whoever
 * uses it says that: the form does not.
 */
export function useProblem(...names: readonly string[]): string | undefined {
  const form = useContext(FormContext);
  useLayoutEffect(() => {
    for (const name of names) form?.saying.add(name);
    return () => {
      for (const name of names) form?.saying.delete(name);
    };
  }, [form?.saying, ...names]);
  return names.some((name) => name === form?.refused?.field) ? form?.refused?.words() : undefined;
}

type Input = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** unready is the first field that holds what it may not, or not what it must. */
function unready(form: HTMLFormElement): Input | undefined {
  const inputs = [...form.querySelectorAll<Input>("input, select, textarea")];
  return inputs.find((input) => input.willValidate && !input.validity.valid);
}

/**
 * Form sends what its fields hold. What is refused stands at the field that the refusal names, or else below. What is
 * missing is told there too: the browser would tell it in its own language.
 */
export function Form(props: {
  act: string;
  danger?: boolean;
  onSubmit: (fields: FormData) => Promise<void>;
  onCancel?: () => void;
  children: ComponentChildren;
}) {
  const [refused, setRefused] = useState<Refusal>();
  const saying = useRef(new Set<string>()).current;
  const { busy, run } = useBusy();
  const submit = async (form: HTMLFormElement) => {
    const wrong = unready(form);
    if (wrong) {
      const missing = wrong.validity.valueMissing;
      setRefused({ field: wrong.name, words: () => text(missing ? "fieldMissing" : "fieldWrong") });
      return wrong.focus();
    }
    try {
      await props.onSubmit(new FormData(form));
      setRefused(undefined);
    } catch (error) {
      if (error instanceof Amiss) {
        setRefused(error);
        const field = form.elements.namedItem(error.field);
        if (field instanceof HTMLElement) field.focus();
        return;
      }
      setRefused({ field: error instanceof SignetError ? error.field : undefined, words: () => describe(error) });
    }
  };
  const said = refused?.field !== undefined && saying.has(refused.field);
  return (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        void run(() => submit(form));
      }}
    >
      <FormContext.Provider value={{ refused, saying }}>{props.children}</FormContext.Provider>
      <p role="alert" class="problem">
        {refused && !said ? refused.words() : ""}
      </p>
      <footer>
        {props.onCancel && (
          <button type="button" onClick={props.onCancel}>
            {text("cancel")}
          </button>
        )}
        <button type="submit" class={props.danger ? "primary danger" : "primary"} aria-disabled={busy}>
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
