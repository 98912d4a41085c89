import { useRef } from "preact/hooks";
import { Icon } from "../kit/Icon";
import { count } from "../text/format";
import { text } from "../text/text";
import { Finder } from "./Finder";
import { moved, Movers } from "./Movers";
import { findPeople, type Named, said } from "./state/named";
import { mostTurns, type Turn } from "./state/rota";

/** Turns are who take turns, in their order. Somebody may be among them twice, and a turn may be nobody's. */
export function Turns(props: { organization: string; turns: readonly Turn[]; onChange: (turns: readonly Turn[]) => void }) {
  const { organization, turns, onChange } = props;
  const next = useRef(turns.length); // the key of a turn that is added
  const add = (who: Named | null) => onChange([...turns, { key: next.current++, who }]);
  const name = ({ who }: Turn) => (who ? said(who) : text("duty.nobody"));
  return (
    <fieldset class="turns">
      <legend>{text("console.turns")}</legend>
      {turns.length > 0 && (
        <ol aria-label={text("console.turns")}>
          {turns.map((turn, place) => (
            <li key={turn.key}>
              <span class="place">{count(place + 1)}</span>
              <span>
                <bdi>{name(turn)}</bdi>
                {turn.who?.more && <small dir="auto">{turn.who.more}</small>}
              </span>
              <Movers
                of={text("console.turnOf", { n: place + 1, name: name(turn) })} first={place === 0} last={place === turns.length - 1}
                onMove={(by) => onChange(moved(turns, place, by))}
                onRemove={() => onChange(turns.filter((one) => one !== turn))}
              />
            </li>
          ))}
        </ol>
      )}
      {turns.length < mostTurns && (
        <>
          <div class="field finder">
            <Finder
              label={text("console.addTurn")} name="rotation" list={text("console.people")} on={organization} telling
              find={(words, signal) => findPeople(organization, words, signal, false)} onChoose={add}
              hint={text("console.turnsHint")}
            />
          </div>
          <button type="button" onClick={() => add(null)}>
            <Icon name="add" /> {text("console.addNobody")}
          </button>
        </>
      )}
    </fieldset>
  );
}
