import { useState } from "preact/hooks";
import type { Schemas } from "../client/index";
import { describe } from "../kit/describe";
import { Moment } from "../kit/Moment";
import { client } from "../kit/state/session";
import { Table } from "../kit/Table";
import { toast } from "../kit/Toasts";
import { useBusy } from "../kit/useBusy";
import { text } from "../text/text";
import { PersonLink } from "./PersonLink";
import type { OfOrganization } from "./tab";

type Request = Schemas["Request"];

/** Requests lists what an administrator has to decide on. */
export function Requests({ organization, onChange }: OfOrganization) {
  const [decided, setDecided] = useState(0);
  const { busy, run } = useBusy();
  const decide = async (request: Request, approve: boolean) => {
    const who = request.account.token;
    const where = request.organization_id;
    try {
      if (request.kind === "admin") await (approve ? client.grantRole(who, where, "admin") : client.revokeRole(who, where, "admin"));
      else if (approve) await client.addToOrganization(who, { organization: where });
      else await client.removeFromOrganization(who, where);
      toast(text(approve ? "console.approved" : "console.refused", { name: request.account.display_name }));
    } catch (error) {
      toast(describe(error), { danger: true });
    }
    setDecided((before) => before + 1);
    onChange();
  };
  return (
    <Table<Request>
      label={text("console.requests")}
      empty={text("console.noRequests")}
      on={[organization.token, decided]}
      keyOf={(request) => request.kind + request.organization_id + request.account.token}
      load={(continuation) => client.listRequests(organization.token, continuation ? { continuation } : {})}
      columns={[
        {
          title: text("console.name"),
          value: (request) => request.account.display_name,
          // The account of a request to join is a member elsewhere.
          show: ({ kind, account }) =>
            kind === "admin"
              ? <PersonLink account={account.token} organization={organization.token}>{account.display_name}</PersonLink>
              : <bdi>{account.display_name}</bdi>,
        },
        { title: text("console.username"), value: (request) => request.account.username },
        { title: text("console.asksFor"), value: (request) => text(request.kind === "admin" ? "console.asksAdmin" : "console.asksJoin") },
        { title: text("console.asked"), value: (request) => request.created_time ?? "", show: (request) => <Moment at={request.created_time} /> },
      ]}
      acts={(request) => (
        <>
          <button type="button" class="primary" aria-disabled={busy} onClick={() => void run(() => decide(request, true))}>
            {text("console.approve")}
          </button>
          <button type="button" aria-disabled={busy} onClick={() => void run(() => decide(request, false))}>{text("console.refuse")}</button>
        </>
      )}
    />
  );
}
