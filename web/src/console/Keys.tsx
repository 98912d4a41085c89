import { useState } from "preact/hooks";
import { Select } from "../kit/Select";
import { client } from "../kit/state/session";
import { Table } from "../kit/Table";
import { text } from "../text/text";
import { Filter } from "./Filter";
import { useKeyActs } from "./KeyActs";
import { type Key, keyColumns } from "./keyColumns";
import { PersonLink } from "./PersonLink";
import type { OfOrganization } from "./tab";

type Which = "all" | "programs" | "sessions" | "administrative" | "idle";

const filters = {
  all: {},
  programs: { session: false },
  sessions: { session: true },
  administrative: { kind: "administrative" },
  idle: { idle_days: 90 },
} as const;

/** Keys lists the live keys of an organization, or, for operators, of the installation. */
export function Keys({ organization }: Partial<OfOrganization>) {
  const [words, setWords] = useState("");
  const [which, setWhich] = useState<Which>("all");
  const [changed, setChanged] = useState(0);
  const { acts, dialog } = useKeyActs(() => setChanged((before) => before + 1));
  return (
    <>
      {!organization && <h1>{text("console.keys")}</h1>}
      <Table<Key>
        label={text("console.keys")}
        empty={text(words || which !== "all" ? "console.noKeysMatch" : "console.noKeys")}
        on={[organization?.token, words, which, changed]}
        keyOf={(key) => key.api_key}
        load={(continuation) => {
          const page = { ...filters[which], ...(words && { q: words }), ...(continuation && { continuation }) };
          return organization ? client.listOrganizationKeys(organization.token, page) : client.listAllKeys(page);
        }}
        columns={[
          {
            title: text("console.owner"),
            value: (key) => key.display_name || key.username || key.account_id,
            show: (key) => (
              <>
                <PersonLink account={key.account_id} organization={organization?.token ?? key.organization}>
                  {key.display_name || key.username || key.account_id}
                </PersonLink>
                {key.display_name && <small dir="auto">{key.username}</small>}
              </>
            ),
          },
          ...keyColumns(),
        ]}
        acts={acts}
      >
        <Filter label={text("console.filter")} onChange={setWords} />
        <Select<Which>
          label={text("console.show")}
          value={which}
          onChange={setWhich}
          options={{
            all: text("console.all"), programs: text("console.programs"), sessions: text("console.sessions"),
            administrative: text("console.administrative"), idle: text("console.idleKeys"),
          }}
        />
      </Table>
      {dialog}
    </>
  );
}
