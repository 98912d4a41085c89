import type { ComponentType } from "preact";
import { client } from "../kit/state/session";
import { Tabs } from "../kit/Tabs";
import { useLoaded } from "../kit/useLoaded";
import { text, type Text } from "../text/text";
import { Import } from "./ImportLater";
import { Audit, Escalations, Group, Groups, Identity, Keys, OrganizationSettings, People, Person, Requests, Stuck } from "./later";
import { NotFound } from "./NotFound";
import { OrganizationOverview } from "./OrganizationOverview";
import { mayAdminister } from "./state/rights";
import type { OfOrganization } from "./tab";

const tabs: Readonly<Record<string, { title: Text; page: ComponentType<OfOrganization> }>> = {
  overview: { title: "console.overview", page: OrganizationOverview },
  people: { title: "console.people", page: People },
  groups: { title: "console.groups", page: Groups },
  escalation: { title: "console.escalations", page: Escalations },
  keys: { title: "console.keys", page: Keys },
  requests: { title: "console.requests", page: Requests },
  stuck: { title: "console.stuck", page: Stuck },
  audit: { title: "console.audit", page: Audit },
  identity: { title: "console.identity", page: Identity },
  settings: { title: "settings", page: OrganizationSettings },
};

/** Organization shows one, a page for each of what it has, or one person or group of it. */
export function Organization({ token, tab, one }: { token: string; tab: string; one: string | undefined }) {
  const { value, problem, reload } = useLoaded(
    async () => ((await mayAdminister(token)) ? client.getOrganization(token) : "none"),
    [token],
  );
  if (problem) return <p role="alert" class="problem">{problem}</p>;
  if (!value) return <p class="empty wait">{text("loading")}</p>;
  if (value === "none") return <NotFound />;
  const Page = tabs[tab]?.page ?? People;
  const base = `/console/organizations/${token}`;
  const numbers: Readonly<Record<string, number | undefined>> = { requests: value.requests };
  return (
    <>
      <header class="head">
        <h1 dir="auto">{value.name}</h1>
        {value.legal_hold && <span class="tag danger">{text("console.onHold")}</span>}
      </header>
      <Tabs
        label={value.name}
        at={`${base}/${tab}`}
        tabs={Object.entries(tabs).map(([name, { title }]) => ({ to: `${base}/${name}`, title: text(title), number: numbers[name] }))}
      />
      {tab === "people" && one === "import" ? (
        <>
          <h2>{text("console.import")}</h2>
          <Import organization={token} />
        </>
      ) : tab === "people" && one ? (
        <Person key={one} organization={value} token={one} />
      ) : tab === "groups" && one ? (
        <Group key={one} organization={value} token={one} />
      ) : (
        <Page key={tab} organization={value} onChange={reload} />
      )}
    </>
  );
}
