import { useState } from "preact/hooks";
import { describe } from "../kit/describe";
import { moment } from "../text/format";
import { text, type Text } from "../text/text";
import { Directory } from "./Directory";
import { FoundList } from "./Found";
import { HitList } from "./HitList";
import { Rows } from "./Rows";
import { SearchFilters } from "./SearchFilters";
import { filtered, type Found, groups, hits, look, moreOf, open, people, searchOlder, sought, words } from "./state/search";

/** Results are what is found for the words in the field; without words the directory. */
export function Results() {
  return (
    <>
      <SearchFilters />
      {sought.value ? <AllFound /> : <Directory />}
    </>
  );
}

function AllFound() {
  const all = [people.value, groups.value, hits.value];
  const waits = all.some((one) => one.waits);
  const none = all.every(({ list, error }) => list.length === 0 && error === undefined);
  const error = all.find((one) => one.error !== undefined)?.error;
  const prompt = filtered.value && none && !waits && words.value.trim() === "";
  return (
    <Rows label={text("found")} busy={waits}>
      <SomeFound key={`people ${words.value}`} heading="foundPeople" more="morePeople" of={people} />
      <SomeFound key={`groups ${words.value}`} heading="foundGroups" more="moreGroups" of={groups} />
      <Messages />
      {error !== undefined && (
        <div class="empty">
          <p class="problem" role="alert">{describe(error)}</p>
          {!waits && <button type="button" onClick={() => look(words.value)}>{text("tryAgain")}</button>}
        </div>
      )}
      {none && (
        <p class="empty" role="status">
          {text(waits ? "searchingNow" : prompt ? "enterWords" : hits.value.next ? "nothingSoFar" : "nothingFound")}
        </p>
      )}
    </Rows>
  );
}

const few = 5; // people or groups that are shown at first

/** SomeFound are people, or groups: the first few, then all, then what the server has besides. */
function SomeFound({ heading, more, of }: { heading: Text; more: Text; of: typeof people }) {
  const { list, waits, next } = of.value;
  const [whole, setWhole] = useState(false);
  if (list.length === 0) return null;
  const shown: readonly Found[] = whole ? list : list.slice(0, few);
  return (
    <div role="group" aria-label={text(heading)}>
      <h2>{text(heading)}</h2>
      <FoundList list={shown} onChoose={open} />
      {(shown.length < list.length || next !== undefined) && (
        <button
          type="button" class="row more" aria-disabled={waits && whole}
          onClick={() => (whole ? moreOf(of) : setWhole(true))}
        >
          {text(more)}
        </button>
      )}
    </div>
  );
}

/** Messages are those that were found, and how far back the search has come. */
function Messages() {
  const { list, waits, next, searchedTo } = hits.value;
  if (list.length === 0 && next === undefined) return null;
  return (
    <div role="group" aria-label={text("foundMessages")}>
      <h2>{text("foundMessages")}</h2>
      <HitList list={list} words={words.value} />
      {searchedTo && (
        <p class="reached">{text(next === undefined ? "searchedAll" : "searchedTo", { time: moment(searchedTo) })}</p>
      )}
      {next !== undefined && (
        <button type="button" class="row more" aria-disabled={waits} onClick={searchOlder}>
          {text(waits ? "searchingNow" : "searchOlder")}
        </button>
      )}
    </div>
  );
}
