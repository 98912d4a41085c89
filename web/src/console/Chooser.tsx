import { useRef } from "preact/hooks";
import { Amiss } from "../kit/Form";
import { Icon } from "../kit/Icon";
import { text } from "../text/text";
import { Finder } from "./Finder";
import { findPeople, findRecipients, type Named, said } from "./state/named";

/** Chooser holds some people, or some people and groups, of an organization, and finds others. */
export function Chooser(props: {
  label: string;
  /** What forms and refusals call it. */
  name: string;
  hint?: string | undefined;
  organization: string;
  /** Groups can be chosen too. */
  groups?: boolean;
  /** How many may be chosen, where that is not left to the server. */
  most?: number;
  chosen: readonly Named[];
  onChange: (chosen: readonly Named[]) => void;
}) {
  const { label, name, organization, groups = false, most = Infinity, chosen, onChange } = props;
  const box = useRef<HTMLDivElement>(null);
  const alike = (one: Named) => chosen.filter(({ name: other }) => other === one.name).length > 1;
  const remove = (one: Named) => {
    onChange(chosen.filter((other) => other !== one));
    box.current?.querySelector("input")?.focus();
  };
  return (
    <div class="field finder" ref={box}>
      {chosen.length < most ? (
        <Finder
          label={label}
          name={name}
          list={text(groups ? "recipients" : "console.people")}
          on={organization}
          find={(words, signal) => (groups ? findRecipients : findPeople)(organization, words, signal, false)}
          without={new Set(chosen.map(({ token }) => token))}
          telling
          onChoose={(one) => onChange([...chosen, one])}
          hint={props.hint}
        />
      ) : (
        <>
          <span class="label">{label}</span>
          <small role="status">{text("recipientsFull", { n: most })}</small>
        </>
      )}
      {chosen.length > 0 && (
        <ul class="picked" aria-label={label}>
          {chosen.map((one) => (
            <li key={one.token}>
              <button
                type="button" class={one.gone ? "chip bad" : "chip"} aria-label={text("leaveOut", { name: said(one) })}
                onClick={() => remove(one)}
              >
                <bdi>{said(one)}</bdi>
                {alike(one) && one.more && <small dir="auto">{one.more}</small>}
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** mustBeChosen refuses words that stand in fields of people, of whom nobody was chosen. */
export function mustBeChosen(fields: FormData, ...names: readonly string[]): void {
  for (const name of names) {
    if (String(fields.get(name) ?? "").trim() !== "") throw new Amiss(name, () => text("console.chooseFound"));
  }
}
