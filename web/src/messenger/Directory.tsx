import { useId, useLayoutEffect, useState } from "preact/hooks";
import { describe } from "../kit/describe";
import { Icon } from "../kit/Icon";
import { count } from "../text/format";
import { text } from "../text/text";
import { FoundList } from "./Found";
import { Rows } from "./Rows";
import { within } from "./state/conversations";
import { again, browse, type Department, directory } from "./state/directory";
import { open } from "./state/search";

const several = 40; // people whom one sees at a glance: where there are more, departments are closed at first
const step = 100; // people of a department that are shown at a time

/** Directory lists the people whom one can write to, by department. */
export function Directory() {
  useLayoutEffect(browse, [within.value]); // before it could say that there is nobody
  const { departments, waits, error } = directory.value;
  const all = departments.reduce((sum, { people }) => sum + people.length, 0);
  const opened = !waits && (departments.length === 1 || all <= several);
  return (
    <Rows label={text("directory")} busy={waits}>
      {departments.map((one) => <People key={one.key} of={one} opened={opened} />)}
      {error !== undefined && (
        <div class="empty">
          <p class="problem" role="alert">{describe(error)}</p>
          <button type="button" onClick={again}>{text("tryAgain")}</button>
        </div>
      )}
      {(waits || (all === 0 && error === undefined)) && (
        <p class="empty" role="status">{text(waits ? "loading" : "nobodyElse")}</p>
      )}
    </Rows>
  );
}

/** People are those of a department, below its name, which shows and hides them. */
function People({ of: { name, people, whole }, opened }: { of: Department; opened: boolean }) {
  const [chosen, setChosen] = useState<boolean>();
  const expanded = chosen ?? opened;
  const [most, setMost] = useState(step);
  const id = useId();
  return (
    <div role="group" aria-labelledby={id}>
      <h2>
        <button type="button" class="row heading" aria-expanded={expanded} onClick={() => setChosen(!expanded)}>
          <Icon name={expanded ? "down" : "next"} />
          <bdi id={id}>{name || text("noDepartment")}</bdi>{" "}
          <span class="count">{whole ? count(people.length) : "…"}</span>
        </button>
      </h2>
      {expanded && <FoundList list={people.slice(0, most)} onChoose={open} />}
      {expanded && people.length > most && (
        <button type="button" class="row more" onClick={() => setMost(most + step)}>{text("morePeople")}</button>
      )}
    </div>
  );
}
