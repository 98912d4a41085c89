import { useEffect, useState } from "preact/hooks";
import { begin, type Entity, within } from "../state/conversations";
import { organizations } from "../state/organizations";
import { ask, type Found, pause } from "../state/search";
import { client } from "../state/session";
import { text } from "../text/text";
import { Dialog } from "../view/Dialog";
import { Field } from "../view/Field";
import { Form } from "../view/Form";
import { Icon } from "../view/Icon";
import { FoundList } from "./Search";

/** NewGroup makes a group of people who are found by their names. */
export function NewGroup({ onClose }: { onClose: () => void }) {
  const [members, setMembers] = useState<readonly Found[]>([]);
  const [list, setList] = useState<readonly Found[] | undefined>();
  const [words, setWords] = useState("");
  useEffect(() => {
    if (words.trim() === "") return setList(undefined);
    const late = new AbortController();
    const typed = setTimeout(() => {
      ask(words, "account", late.signal).then(setList, () => undefined); // what was found before stays
    }, pause);
    return () => {
      clearTimeout(typed);
      late.abort();
    };
  }, [words]);
  const add = (one: Found) => {
    setWords("");
    if (!members.some(({ entity }) => entity.token === one.entity.token)) setMembers([...members, one]);
  };
  return (
    <Dialog title={text("newGroup")} onClose={onClose}>
      <Form
        act={text("makeGroup")}
        onCancel={onClose}
        onSubmit={async (fields) => {
          const organization = members[0]?.organization ?? within.value ?? [...organizations.value.keys()][0];
          const made = await client.createGroup(
            {
              name: String(fields.get("name")).trim(),
              members: members.map(({ entity }) => entity.token),
              replay_history: fields.has("history"),
            },
            { render_entity: true, ...(organization && { organization }) },
          );
          onClose();
          if (made.group) begin({ ...made.group, type: made.group.xmlns } as Entity, made.group.organization_key);
        }}
      >
        {(problemOf) => (
          <>
            <Field label={text("groupName")} name="name" autocomplete="off" required maxLength={256} problem={problemOf("name")} />
            <Field
              label={text("addPeople")}
              type="search"
              autocomplete="off"
              problem={problemOf("members")}
              value={words}
              onInput={(event) => setWords(event.currentTarget.value)}
            />
            {members.length > 0 && (
              <ul class="chosen" aria-label={text("chosenPeople")}>
                {members.map(({ entity }) => (
                  <li key={entity.token}>
                    <button
                      type="button"
                      aria-label={text("leaveOut", { name: entity.display_name })}
                      onClick={() => setMembers(members.filter((one) => one.entity.token !== entity.token))}
                    >
                      <bdi>{entity.display_name}</bdi> <Icon name="close" />
                    </button>
                  </li>
                ))}
              </ul>
            )}
            {list && <FoundList list={list} onChoose={add} />}
            <label class="check">
              <input type="checkbox" name="history" />
              {text("showHistory")}
            </label>
          </>
        )}
      </Form>
    </Dialog>
  );
}
