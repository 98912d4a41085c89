import { useId } from "preact/hooks";

/** Select is a choice of a few, with its label. */
export function Select<T extends string>(props: {
  label: string;
  value: T;
  options: Readonly<Record<T, string>>;
  onChange: (value: T) => void;
  name?: string;
}) {
  const id = useId();
  return (
    <p class="field">
      <label for={id}>{props.label}</label>
      <select
        id={id}
        name={props.name}
        value={props.value}
        onChange={(event) => props.onChange(event.currentTarget.value as T)}
      >
        {(Object.entries(props.options) as [T, string][]).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </p>
  );
}
