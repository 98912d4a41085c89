import { useState } from "preact/hooks";
import type { Schemas } from "../client/index";
import { Confirm } from "../kit/Confirm";
import { Icon } from "../kit/Icon";
import { Moment } from "../kit/Moment";
import { client } from "../kit/state/session";
import { Table } from "../kit/Table";
import { toast } from "../kit/Toasts";
import { text } from "../text/text";
import { Filter } from "./Filter";
import type { OfOrganization } from "./tab";

/** Groups lists the groups of an organization, without anything that was written to them. */
export function Groups({ organization }: OfOrganization) {
  const [words, setWords] = useState("");
  const [changed, setChanged] = useState(0);
  const [ending, setEnding] = useState<Schemas["ListedGroup"] | undefined>();
  return (
    <>
      <Table<Schemas["ListedGroup"]>
        label={text("console.groups")}
        empty={text("console.noGroups")}
        on={[organization.token, words, changed]}
        keyOf={(group) => group.token}
        load={(continuation) =>
          client.listGroups(organization.token, { ...(words && { q: words }), ...(continuation && { continuation }) })
        }
        columns={[
          { title: text("console.name"), value: (group) => group.name },
          { title: text("console.members"), value: (group) => group.num_members, number: true },
          { title: text("console.history"), value: (group) => text(group.replay_history ? "console.yes" : "console.no") },
          { title: text("console.public"), value: (group) => text(group.is_public ? "console.yes" : "console.no") },
          {
            title: text("console.lastMessage"),
            value: (group) => group.last_message_time ?? "",
            show: (group) => <Moment at={group.last_message_time} none={text("console.never")} />,
          },
        ]}
        acts={(group) => (
          <button type="button" class="icon" aria-label={text("console.deleteNamed", { name: group.name })} onClick={() => setEnding(group)}>
            <Icon name="trash" />
          </button>
        )}
      >
        <Filter label={text("console.filter")} onChange={setWords} />
      </Table>
      {ending && (
        <Confirm
          title={text("console.deleteGroup")}
          act={text("console.deleteGroup")}
          danger
          onClose={() => setEnding(undefined)}
          onConfirm={async () => {
            await client.deleteGroup(ending.token);
            toast(text("console.done"));
            setChanged(changed + 1);
          }}
        >
          <p>{text("console.deleteGroupWhy", { name: ending.name })}</p>
        </Confirm>
      )}
    </>
  );
}
