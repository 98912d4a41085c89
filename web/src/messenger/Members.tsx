import { useEffect, useRef, useState } from "preact/hooks";
import type { User } from "../client/index";
import { Avatar } from "../kit/Avatar";
import { Confirm } from "../kit/Confirm";
import { Dialog } from "../kit/Dialog";
import { Form } from "../kit/Form";
import { Icon } from "../kit/Icon";
import { client, session } from "../kit/state/session";
import { useLoaded } from "../kit/useLoaded";
import { text } from "../text/text";
import { PeopleChooser } from "./PeopleChooser";
import { besides } from "./state/beside";
import { renew } from "./state/conversations";
import { type Group, listsMembers, mayMove } from "./state/groups";
import { people } from "./state/people";
import { here } from "./state/presence";
import type { Found } from "./state/search";

/** Members lists who is in a group, or says how many, and lets those who may add and remove people. */
export function Members({ group }: { group: Group }) {
  const there = client.in(group.organization_key);
  const { value, problem, reload } = useLoaded(async () => listsMembers(group) ? there.getGroupMembers(group.token) : [], []);
  const [adding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Pick<User, "token" | "display_name">>();
  const [gone, setGone] = useState<readonly string[]>([]); // whose rows go before the list has come
  useEffect(() => setGone([]), [value]);
  const now = group.members?.join() ?? String(group.num_members);
  const known = useRef(now);
  useEffect(() => {
    if (known.current === now) return;
    known.current = now;
    reload();
  }, [now]);
  const may = mayMove(group);
  const still = value?.filter(({ token }) => !gone.includes(token)) ?? [];
  const all = still.map((one) => ({ ...one, ...people.value.get(one.token) }));
  const beside = besides(all);
  return (
    <section class="members" aria-label={text("chosenPeople")}>
      <header>
        <h3>{text("people", { n: group.num_members })}</h3>
        {may && (
          <button type="button" class="quiet" onClick={() => setAdding(true)}>
            <Icon name="add" /> {text("addPeople")}
          </button>
        )}
      </header>
      {problem && <p role="alert" class="problem">{problem}</p>}
      <ul aria-busy={!value && !problem}>
        {all.map((one) => {
          const { display_name: name, avatar } = one;
          const me = one.token === session.value?.account.token;
          return (
            <li key={one.token}>
              <Avatar name={name} token={one.token} picture={avatar} />
              <span>
                <bdi>{name}</bdi> {me && <em>{text("you")}</em>}
                <small dir="auto">{beside(one)}</small>
                {here.value.get(one.token) && <small>{text("available")}</small>}
              </span>
              {may && !me && (
                <button
                  type="button" class="icon" aria-label={text("removeMember", { name })} title={text("removeMember", { name })}
                  onClick={() => setRemoved({ token: one.token, display_name: name })}
                >
                  <Icon name="close" />
                </button>
              )}
            </li>
          );
        })}
      </ul>
      {adding && <AddPeople group={group} without={value?.map(({ token }) => token) ?? []} onClose={() => setAdding(false)} />}
      {removed && (
        <Confirm
          title={text("removeFromGroup")}
          act={text("remove")}
          danger
          onClose={() => setRemoved(undefined)}
          onConfirm={async () => {
            await there.removeGroupMembers(group.token, [removed.token]);
            setGone([removed.token]); // now: a row that goes after the dialog would take the focus along
            renew(await there.getGroup(group.token));
          }}
        >
          <p>{text("removeMemberWhy", { name: removed.display_name, group: group.display_name })}</p>
        </Confirm>
      )}
    </section>
  );
}

/** AddPeople puts people of the group's organization into it. */
function AddPeople({ group, without, onClose }: { group: Group; without: readonly string[]; onClose: () => void }) {
  const [chosen, setChosen] = useState<readonly Found[]>([]);
  const there = client.in(group.organization_key);
  return (
    <Dialog title={text("addPeople")} onClose={onClose}>
      <Form
        act={text("add")}
        onCancel={onClose}
        onSubmit={async () => {
          if (chosen.length > 0) await there.addGroupMembers(group.token, chosen.map(({ entity }) => entity.token));
          renew(await there.getGroup(group.token));
          onClose();
        }}
      >
        <p class="muted">{text(group.replay_history ? "historySeen" : "historyNotSeen")}</p>
        <PeopleChooser
          label={text("findPeople")}
          organization={group.organization_key}
          without={without}
          chosen={chosen}
          onChange={setChosen}
        />
      </Form>
    </Dialog>
  );
}
