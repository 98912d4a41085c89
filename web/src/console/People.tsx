import { useState } from "preact/hooks";
import type { Schemas } from "../client/index";
import { Avatar } from "../kit/Avatar";
import { Dialog } from "../kit/Dialog";
import { Icon } from "../kit/Icon";
import { Link } from "../kit/Link";
import { Menu } from "../kit/Menu";
import { Select } from "../kit/Select";
import { go } from "../kit/state/route";
import { client } from "../kit/state/session";
import { Table } from "../kit/Table";
import { text } from "../text/text";
import { Filter } from "./Filter";
import { LastSeen } from "./LastSeen";
import { Membership } from "./Membership";
import { NewPerson } from "./NewPerson";
import { exportedPeople } from "./roster";
import type { OfOrganization } from "./tab";

type Which = "all" | "admin" | "disabled" | "keyless" | "idle";

const filters = {
  all: {},
  admin: { role: "admin" },
  disabled: { disabled: "true" },
  keyless: { without_keys: "true" },
  idle: { idle_days: 30 },
} as const;

/** People lists the members of an organization, and makes new ones. */
export function People({ organization }: OfOrganization) {
  const [words, setWords] = useState("");
  const [which, setWhich] = useState<Which>("all");
  const [made, setMade] = useState(0);
  const [adding, setAdding] = useState<"one" | "known" | undefined>();
  const base = `/console/organizations/${organization.token}/people`;
  return (
    <>
      <header class="head">
        <h2>{text("console.people")}</h2>
        <Menu
          label={text("addPeople")}
          class="primary"
          worded
          choices={() => [
            { label: text("console.newPerson"), icon: "add", onChoose: () => setAdding("one") },
            { label: text("console.import"), icon: "people", onChoose: () => go(`${base}/import`) },
            { label: text("console.addPerson"), icon: "person", onChoose: () => setAdding("known") },
          ]}
        >
          {text("addPeople")} <Icon name="down" />
        </Menu>
      </header>
      <Table<Schemas["Member"]>
        label={text("console.people")}
        empty={text("console.nobody")}
        on={[organization.token, words, which, made]}
        keyOf={(one) => one.token}
        load={(continuation) =>
          client.listMembers(organization.token, {
            ...filters[which], ...(words && { q: words }), ...(continuation && { continuation }),
          })
        }
        exported={exportedPeople()}
        columns={[
          {
            title: text("console.name"),
            value: (one) => one.display_name,
            show: (one) => (
              <Link to={`${base}/${one.token}`} class="person">
                <Avatar name={one.display_name} token={one.token} picture={one.avatar} />
                <span>
                  <bdi>{one.display_name}</bdi>
                  {one.disabled && <em class="tag danger">{text("console.disabled")}</em>}
                  {one.roles.includes("admin") && <em class="tag">{text("console.admin")}</em>}
                </span>
              </Link>
            ),
          },
          { title: text("console.username"), value: (one) => one.username },
          { title: text("console.email"), value: (one) => one.emails[0]?.address ?? "", priority: 3 },
          { title: text("console.jobTitle"), value: (one) => one.title ?? "", priority: 3 },
          { title: text("console.department"), value: (one) => one.department ?? "", priority: 2 },
          {
            title: text("console.lastSeen"),
            value: (one) => one.last_seen_time ?? "",
            show: (one) => <LastSeen at={one.last_seen_time} />,
          },
        ]}
      >
        <Filter label={text("console.filter")} onChange={setWords} />
        <Select<Which>
          label={text("console.show")}
          value={which}
          onChange={setWhich}
          options={{
            all: text("console.everybody"), admin: text("console.admins"), disabled: text("console.disabled"),
            keyless: text("console.keyless"), idle: text("console.idle"),
          }}
        />
      </Table>
      {adding === "one" && (
        <Dialog title={text("console.newPerson")} onClose={() => setAdding(undefined)}>
          <NewPerson
            organization={organization.token}
            onMade={(token) => go(`${base}/${token}`)}
            onCancel={() => setAdding(undefined)}
          />
        </Dialog>
      )}
      {adding === "known" && (
        <Dialog title={text("console.addPerson")} onClose={() => setAdding(undefined)}>
          <Membership
            organization={organization.token}
            onDone={() => (setAdding(undefined), setMade(made + 1))}
            onCancel={() => setAdding(undefined)}
          />
        </Dialog>
      )}
    </>
  );
}
