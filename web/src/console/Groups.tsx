import { useState } from "preact/hooks";
import type { Schemas } from "../client/index";
import { Link } from "../kit/Link";
import { Moment } from "../kit/Moment";
import { client } from "../kit/state/session";
import { Table } from "../kit/Table";
import { text } from "../text/text";
import { Filter } from "./Filter";
import type { OfOrganization } from "./tab";

/** Groups lists the groups of an organization, without anything that was written to them. */
export function Groups({ organization }: OfOrganization) {
  const [words, setWords] = useState("");
  return (
    <Table<Schemas["ListedGroup"]>
      label={text("console.groups")}
      empty={text("console.noGroups")}
      on={[organization.token, words]}
      keyOf={(group) => group.token}
      load={(continuation) =>
        client.listGroups(organization.token, { ...(words && { q: words }), ...(continuation && { continuation }) })
      }
      columns={[
        {
          title: text("console.name"),
          value: (group) => group.name,
          show: (group) => (
            <Link to={`/console/organizations/${organization.token}/groups/${group.token}`}><bdi>{group.name}</bdi></Link>
          ),
        },
        { title: text("console.members"), value: (group) => group.num_members, number: true },
        { title: text("console.history"), value: (group) => text(group.replay_history ? "console.yes" : "console.no") },
        { title: text("console.public"), value: (group) => text(group.is_public ? "console.yes" : "console.no") },
        {
          title: text("console.lastMessage"),
          value: (group) => group.last_message_time ?? "",
          show: (group) => <Moment at={group.last_message_time} none={text("console.never")} />,
        },
      ]}
    >
      <Filter label={text("console.filter")} onChange={setWords} />
    </Table>
  );
}
