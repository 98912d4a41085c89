import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Field } from "../kit/Field";
import { useProblem } from "../kit/Form";
import { Icon } from "../kit/Icon";
import { text } from "../text/text";
import { Chooser } from "./Chooser";
import { Movers } from "./Movers";
import { type Draft, exchanged, mostMinutes, mostRecipients, mostSteps, withOneMore } from "./state/policy";

/** PolicySteps are the steps of an escalation: when whom a message is sent on to. */
export function PolicySteps(props: {
  organization: string;
  steps: readonly Draft[];
  onChange: (steps: readonly Draft[]) => void;
}) {
  const { organization, steps, onChange } = props;
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const focus = useRef<string | undefined>(undefined); // what is to have the focus once the steps are drawn
  const problem = useProblem("steps");
  useLayoutEffect(() => {
    if (focus.current) box.current?.querySelector<HTMLElement>(focus.current)?.focus();
    focus.current = undefined;
  }, [steps]);
  const change = (key: number, to: Partial<Draft>) => onChange(steps.map((one) => (one.key === key ? { ...one, ...to } : one)));
  const move = (place: number, by: 1 | -1) => {
    focus.current = `fieldset:nth-of-type(${place + by + 1}) [data-by="${by}"]`;
    onChange(exchanged(steps, place, by));
  };
  const add = () => {
    focus.current = "fieldset:last-of-type input";
    onChange(withOneMore(steps));
  };
  return (
    <div class="policy-steps" role="group" aria-label={text("console.policySteps")} aria-describedby={problem && `${id}-problem`} ref={box}>
      {steps.map(({ key, after, to }, place) => (
        <fieldset key={key}>
          <legend>{text("console.policyStepN", { n: place + 1 })}</legend>
          <Movers
            of={text("console.policyStepN", { n: place + 1 })} first={place === 0} last={place === steps.length - 1}
            onMove={(by) => move(place, by)}
            onRemove={steps.length > 1 ? () => onChange(steps.filter((one) => one.key !== key)) : undefined}
          />
          <Field
            label={text("console.stepAfter")} name={`after-${key}`} type="number" min={1} max={mostMinutes} required value={after}
            onInput={(event) => change(key, { after: event.currentTarget.value })}
          />
          <Chooser
            label={text("searchRecipients")} name={`to-${key}`} organization={organization} groups most={mostRecipients} chosen={to}
            onChange={(chosen) => change(key, { to: chosen })}
          />
        </fieldset>
      ))}
      {problem && <p role="alert" class="problem" id={`${id}-problem`}>{problem}</p>}
      {steps.length < mostSteps && (
        <button type="button" onClick={add}>
          <Icon name="add" /> {text("console.addStep")}
        </button>
      )}
    </div>
  );
}
