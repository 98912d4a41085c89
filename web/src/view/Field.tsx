import { useId } from "preact/hooks";

/** Field is a labelled input that has to be filled in. */
export function Field(props: { label: string; name: string; autocomplete: string; secret?: boolean }) {
  const id = useId();
  const { label, secret, ...input } = props;
  return (
    <p class="field">
      <label for={id}>{label}</label>
      {secret ? <input type="password" id={id} required {...input} /> : <input type="text" id={id} required {...input} />}
    </p>
  );
}
