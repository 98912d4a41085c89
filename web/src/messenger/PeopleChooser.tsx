import { useEffect, useState } from "preact/hooks";
import { Field } from "../kit/Field";
import { useProblem } from "../kit/Form";
import { Icon } from "../kit/Icon";
import { useRefusal } from "../kit/useRefusal";
import { text } from "../text/text";
import { FoundList } from "./Found";
import { besides } from "./state/beside";
import { ask, type Found, pause } from "./state/search";

/** PeopleChooser finds people by their names, of one organization or of all, and holds those who are chosen. */
export function PeopleChooser(props: {
  label: string;
  chosen: readonly Found[];
  onChange: (chosen: readonly Found[]) => void;
  organization?: string | undefined;
  /** Oneself is found too. */
  self?: boolean;
  /** Who is not to be found. */
  without?: readonly string[];
}) {
  const { chosen, onChange, organization, self = false, without = [] } = props;
  const [list, setList] = useState<readonly Found[] | undefined>();
  const [words, setWords] = useState("");
  const [problem, refuse] = useRefusal();
  const wrong = useProblem("members");
  useEffect(() => {
    if (words.trim() === "") return setList(undefined);
    const late = new AbortController();
    const typed = setTimeout(() => {
      const found = ask(words, { type: "account", organization, self, signal: late.signal });
      found.then(
        (all) => {
          refuse(undefined);
          setList(all);
        },
        (error: unknown) => late.signal.aborted || refuse(error), // what was found before stays
      );
    }, pause);
    return () => {
      clearTimeout(typed);
      late.abort();
    };
  }, [words, organization]);
  const all = chosen.flatMap(({ entity }) => ("num_members" in entity ? [] : [entity]));
  const beside = besides(all);
  const double = (name: string) => all.filter(({ display_name }) => display_name === name).length > 1;
  const tokens = new Set([...without, ...chosen.map(({ entity }) => entity.token)]);
  return (
    <>
      <Field
        label={props.label}
        type="search"
        autocomplete="off"
        problem={wrong || problem}
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      {chosen.length > 0 && (
        <ul class="chosen" data-made aria-label={text("chosenPeople")}>
          {chosen.map(({ entity }) => (
            <li key={entity.token}>
              <button
                type="button"
                aria-label={text("leaveOut", { name: entity.display_name })}
                onClick={() => onChange(chosen.filter((one) => one.entity.token !== entity.token))}
              >
                <bdi>{entity.display_name}</bdi>
                {double(entity.display_name) && !("num_members" in entity) && <small dir="auto">{beside(entity)}</small>}
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {list && (
        <FoundList
          list={list.filter(({ entity }) => !tokens.has(entity.token))}
          onChoose={(one) => {
            setWords("");
            onChange([...chosen, one]);
          }}
        />
      )}
    </>
  );
}
