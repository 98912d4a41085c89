import { useId } from "preact/hooks";

/** A heading, and what can be chosen below it, by value. */
export interface Options {
  readonly title: string;
  readonly options: readonly (readonly [value: string, label: string])[];
}

/** GroupedSelect is a choice of many: a few that stand alone, and the others below headings. */
export function GroupedSelect(props: {
  label: string;
  value: string;
  alone: Options["options"];
  groups: readonly Options[];
  onChange: (value: string) => void;
}) {
  const id = useId();
  const option = ([value, label]: readonly [string, string]) => (
    <option key={value} value={value}>
      {label}
    </option>
  );
  return (
    <p class="field">
      <label for={id}>{props.label}</label>
      <select id={id} value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
        {props.alone.map(option)}
        {props.groups.map(({ title, options }) => (
          <optgroup key={title} label={title}>
            {options.map(option)}
          </optgroup>
        ))}
      </select>
    </p>
  );
}
