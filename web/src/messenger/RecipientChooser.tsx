import { useEffect, useState } from "preact/hooks";
import { Field } from "../kit/Field";
import { Icon } from "../kit/Icon";
import { useRefusal } from "../kit/useRefusal";
import { text } from "../text/text";
import { FoundList } from "./Found";
import { besides } from "./state/beside";
import { mayWrite } from "./state/groups";
import { ask, type Found, knownFor, merged, pause } from "./state/search";

/** RecipientChooser finds people and groups of an organization as the list's search does, and holds those who are chosen. */
export function RecipientChooser(props: {
  organization: string;
  chosen: readonly Found[];
  onChange: (chosen: readonly Found[]) => void;
  /** How many may be chosen. */
  most: number;
}) {
  const { organization, chosen, onChange, most } = props;
  const [words, setWords] = useState("");
  const [answer, setAnswer] = useState<{ words: string; found: readonly Found[] }>();
  const [problem, refuse] = useRefusal();
  useEffect(() => {
    refuse(undefined);
    if (words.trim() === "") return;
    const late = new AbortController();
    const typed = setTimeout(() => {
      ask(words, { organization, signal: late.signal }).then(
        (found) => setAnswer({ words, found }),
        (error: unknown) => late.signal.aborted || refuse(error), // what is known can be chosen all the same
      );
    }, pause);
    return () => {
      clearTimeout(typed);
      late.abort();
    };
  }, [words, organization]);
  const waits = words.trim() !== "" && answer?.words !== words && problem === "";
  const known = knownFor(words, { organization });
  const taken = new Set(chosen.map(({ entity }) => entity.token));
  const list = merged(known, answer?.words === words ? answer.found : [])
    .filter(({ entity }) => !taken.has(entity.token) && mayWrite({ entity }));
  const all = chosen.flatMap(({ entity }) => ("num_members" in entity ? [] : [entity]));
  const beside = besides(all);
  const double = (name: string) => all.filter(({ display_name }) => display_name === name).length > 1;
  const full = chosen.length >= most;
  return (
    <>
      <Field
        label={text("searchRecipients")}
        type="search"
        autocomplete="off"
        problem={problem}
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      {chosen.length > 0 && (
        <ul class="chosen" data-made aria-label={text("recipients")}>
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
      {full ? (
        <p class="muted" role="status">{text("recipientsFull", { n: most })}</p>
      ) : (list.length > 0 || (words.trim() !== "" && !waits)) && (
        <FoundList
          list={list}
          onChoose={(one) => {
            setWords("");
            onChange([...chosen, one]);
          }}
        />
      )}
    </>
  );
}
