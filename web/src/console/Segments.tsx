import { useId } from "preact/hooks";

/** Segments is a choice of a few that all stand in sight. */
export function Segments<T extends string>(props: {
  label: string;
  value: T;
  options: Readonly<Record<T, string>>;
  onChange: (value: T) => void;
}) {
  const name = useId();
  return (
    <fieldset class="segments">
      <legend class="unseen">{props.label}</legend>
      {(Object.entries(props.options) as [T, string][]).map(([value, label]) => (
        <label key={value}>
          <input type="radio" name={name} checked={value === props.value} onChange={() => props.onChange(value)} />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
