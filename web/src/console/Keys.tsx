import { useState } from "preact/hooks";
import { Link } from "../kit/Link";
import { Select } from "../kit/Select";
import { client } from "../kit/state/session";
import { Table } from "../kit/Table";
import { text } from "../text/text";
import { keyColumns } from "./PersonKeys";
import type { OfOrganization } from "./tab";

type Which = "all" | "regular" | "administrative" | "idle";

/** Keys lists the live keys of an organization, or, for operators, of the installation. */
export function Keys({ organization }: Partial<OfOrganization>) {
  const [which, setWhich] = useState<Which>("all");
  const filter = which === "all" ? {} : which === "idle" ? { idle_days: 90 } : { kind: which };
  return (
    <>
      {!organization && <h1>{text("console.keys")}</h1>}
      <Table
        label={text("console.keys")}
        empty={text("console.noKeys")}
        on={[organization?.token, which]}
        keyOf={(key) => key.api_key}
        load={(continuation) => {
          const page = { ...filter, ...(continuation && { continuation }) };
          return organization ? client.listOrganizationKeys(organization.token, page) : client.listAllKeys(page);
        }}
        columns={[
          {
            title: text("console.owner"),
            value: (key) => key.username,
            show: (key) => {
              const name = <bdi>{key.username || key.account_id}</bdi>;
              const at = `/console/organizations/${organization?.token}/people/${key.account_id}`;
              return organization ? <Link to={at}>{name}</Link> : name;
            },
          },
          ...keyColumns(),
        ]}
      >
        <Select<Which>
          label={text("console.show")}
          value={which}
          onChange={setWhich}
          options={{
            all: text("console.all"), regular: text("console.regular"), administrative: text("console.administrative"),
            idle: text("console.idleKeys"),
          }}
        />
      </Table>
    </>
  );
}
