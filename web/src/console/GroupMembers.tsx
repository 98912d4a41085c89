import { useEffect, useState } from "preact/hooks";
import type { Schemas } from "../client/index";
import { Avatar } from "../kit/Avatar";
import { Confirm } from "../kit/Confirm";
import { Dialog } from "../kit/Dialog";
import { Icon } from "../kit/Icon";
import { Link } from "../kit/Link";
import { client } from "../kit/state/session";
import { Table } from "../kit/Table";
import { toast } from "../kit/Toasts";
import { useBusy } from "../kit/useBusy";
import { useRefusal } from "../kit/useRefusal";
import { text } from "../text/text";
import { Filter } from "./Filter";
import { addressOf } from "./PersonLink";

type Group = Schemas["Group"];
type Person = Pick<Schemas["UserEntity"], "token" | "display_name" | "username" | "avatar" | "title" | "department">;

/** GroupMembers lists who is in a group, and adds and removes people, unless a rota does. */
export function GroupMembers(props: { organization: string; group: Group; members: readonly Person[]; onChange: () => void }) {
  const { organization, group, members, onChange } = props;
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Person | undefined>();
  return (
    <>
      <h2>{text("chosenPeople")}</h2>
      <Table<Person>
        label={text("chosenPeople")}
        empty={text("console.noMembers")}
        on={[members]}
        keyOf={(one) => one.token}
        load={async () => ({ results: [...members], metadata: {} })}
        columns={[
          {
            title: text("console.name"),
            value: (one) => one.display_name,
            show: (one) => (
              <Link to={addressOf(one.token, organization)} class="person">
                <Avatar name={one.display_name} token={one.token} picture={one.avatar} />
                <bdi>{one.display_name}</bdi>
              </Link>
            ),
          },
          { title: text("console.username"), value: (one) => one.username },
          { title: text("console.jobTitle"), value: (one) => one.title ?? "" },
          { title: text("console.department"), value: (one) => one.department ?? "" },
        ]}
        {...(!group.duty && {
          acts: (one: Person) => (
            <button
              type="button" class="icon" onClick={() => setRemoving(one)}
              aria-label={text("removeMember", { name: one.display_name })} title={text("removeMember", { name: one.display_name })}
            >
              <Icon name="close" />
            </button>
          ),
        })}
      >
        {!group.duty && (
          <button type="button" onClick={() => setAdding(true)}>
            <Icon name="add" /> {text("addPeople")}
          </button>
        )}
      </Table>
      {adding && (
        <AddMembers organization={organization} group={group} members={members} onChange={onChange} onClose={() => setAdding(false)} />
      )}
      {removing && (
        <Confirm
          title={text("removeFromGroup")}
          act={text("remove")}
          danger
          onClose={() => setRemoving(undefined)}
          onConfirm={async () => {
            await client.removeGroupMembers(group.token, [removing.token]);
            onChange();
          }}
        >
          <p>{text("removeMemberWhy", { name: removing.display_name, group: group.name })}</p>
        </Confirm>
      )}
    </>
  );
}

const most = 20; // people who are found at once: one types more of a name to see others

/** AddMembers finds people of the organization, and adds each who is chosen. It stays open for more. */
function AddMembers(props: {
  organization: string;
  group: Group;
  members: readonly Person[];
  onChange: () => void;
  onClose: () => void;
}) {
  const { organization, group, members } = props;
  const [words, setWords] = useState("");
  const [found, setFound] = useState<readonly Person[] | undefined>();
  const [problem, refuse] = useRefusal();
  const { busy, run } = useBusy();
  useEffect(() => {
    let late = false;
    if (words === "") return setFound(undefined);
    client.listMembers(organization, { q: words, disabled: false, page_size: most }).then(
      ({ results }) => {
        if (late) return;
        refuse(undefined);
        setFound(results);
      },
      (error: unknown) => late || refuse(error),
    );
    return () => void (late = true);
  }, [words, organization]);
  const add = async (person: Person) => {
    try {
      await client.addGroupMembers(group.token, [person.token]);
      toast(text("console.added", { name: person.display_name, group: group.name }));
      props.onChange();
    } catch (error) {
      refuse(error);
    }
  };
  const there = new Set(members.map(({ token }) => token));
  return (
    <Dialog title={text("addPeople")} onClose={props.onClose}>
      <div class="choosing">
        <Filter label={text("findPeople")} onChange={setWords} />
        {problem && <p role="alert" class="problem">{problem}</p>}
        {found?.length === 0 && <p role="status">{text("nothingFound")}</p>}
        {found && found.length > 0 && (
          <ul>
            {found.map((one) => (
              <li key={one.token}>
                <Avatar name={one.display_name} token={one.token} picture={one.avatar} />
                <span>
                  <bdi>{one.display_name}</bdi>
                  <small dir="auto">{[one.title, one.department, one.username].filter(Boolean).join(" · ")}</small>
                </span>
                {there.has(one.token) ? (
                  <small>{text("console.isMember")}</small>
                ) : (
                  <button type="button" aria-label={text("console.addNamed", { name: one.display_name })} aria-disabled={busy} onClick={() => void run(() => add(one))}>
                    {text("add")}
                  </button>
                )}
              </li>
            ))}
          </ul>
        )}
      </div>
      <footer>
        <button type="button" class="primary" onClick={props.onClose}>{text("console.finish")}</button>
      </footer>
    </Dialog>
  );
}
