import { useId, useState } from "preact/hooks";
import { useProblem } from "../kit/Form";
import { text } from "../text/text";
import { lengths, type Span, type Unit } from "./span";

/** Lifetime is a field for how long messages last: a number and its unit, or never to expire. */
export function Lifetime(props: { label: string; never: string; name: string; value: Span }) {
  const { name, value } = props;
  const id = useId();
  const [unit, setUnit] = useState(value.unit);
  const problem = useProblem(name);
  const units: Readonly<Record<Unit, string>> = {
    minutes: text("console.unitMinutes"), hours: text("console.unitHours"), days: text("console.unitDays"), never: props.never,
  };
  return (
    <div class="field" role="group" aria-labelledby={id}>
      <span class="label" id={id}>{props.label}</span>
      <span class="lifetime">
        {unit !== "never" && (
          <input
            name={name} inputMode="numeric" required pattern="[0-9]+" defaultValue={value.amount} autocomplete="off"
            aria-label={props.label} aria-invalid={problem ? true : undefined} aria-describedby={problem ? `${id}-hint` : undefined}
          />
        )}
        <select name={`${name}_unit`} aria-label={text("console.unit")} value={unit} onChange={(event) => setUnit(event.currentTarget.value as Unit)}>
          {([...Object.keys(lengths), "never"] as Unit[]).map((one) => <option key={one} value={one}>{units[one]}</option>)}
        </select>
      </span>
      {problem && <small id={`${id}-hint`} class="problem">{problem}</small>}
    </div>
  );
}
