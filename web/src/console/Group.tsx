import { useState } from "preact/hooks";
import type { Schemas } from "../client/index";
import { Confirm } from "../kit/Confirm";
import { Dialog } from "../kit/Dialog";
import { Field } from "../kit/Field";
import { Form } from "../kit/Form";
import { Icon } from "../kit/Icon";
import { longestName } from "../kit/limits";
import { Link } from "../kit/Link";
import { Menu } from "../kit/Menu";
import { Moment } from "../kit/Moment";
import { go } from "../kit/state/route";
import { client } from "../kit/state/session";
import { toast } from "../kit/Toasts";
import { useLoaded } from "../kit/useLoaded";
import { text } from "../text/text";
import { GroupMembers } from "./GroupMembers";
import { PersonLink } from "./PersonLink";
import { Rota } from "./Rota";

/** Group shows a group of an organization, without anything that was written to it, and lets administrators manage it. */
export function Group({ organization, token }: { organization: Schemas["Organization"]; token: string }) {
  const { value, problem, reload } = useLoaded(async () => {
    const group = await client.getGroup(token);
    const members = group.everyone ? [] : await client.getGroupMembers(token);
    return { group, members, creator: await creatorOf(group, members, organization.token) };
  }, [organization.token, token]);
  const [asked, setAsked] = useState<"edit" | "delete" | undefined>();
  if (problem) return <p role="alert" class="problem">{problem}</p>;
  if (!value) return <p class="empty wait">{text("loading")}</p>;
  const { group, members, creator } = value;
  const list = `/console/organizations/${organization.token}/groups`;
  const close = () => setAsked(undefined);
  return (
    <article class="profile">
      <p><Link to={list}>{text("console.groups")}</Link></p>
      <header>
        <div>
          <h2 dir="auto">{group.name}</h2>
          {group.description && <p class="muted" dir="auto">{group.description}</p>}
          {group.everyone && <em class="tag">{text("console.everybody")}</em>}
          {group.duty && <em class="tag">{text("console.duty")}</em>}
          {group.directory && <em class="tag">{text("console.directory")}</em>}
          {group.is_public && <em class="tag">{text("console.public")}</em>}
        </div>
      </header>
      {group.directory && <p class="muted">{text("console.directoryKeepsGroup")}</p>}
      <div class="acts">
        <button type="button" class="primary" onClick={() => setAsked("edit")}>
          <Icon name="edit" /> {text("editGroup")}
        </button>
        <Menu
          label={text("console.moreActs")}
          choices={() => [{ label: text("console.deleteGroup"), danger: true, onChoose: () => setAsked("delete") }]}
        >
          <Icon name="more" />
        </Menu>
      </div>
      <dl class="facts">
        <dt>{text("console.managedBy")}</dt>
        <dd>
          {creator && <><PersonLink account={creator.token} organization={organization.token}>{creator.display_name}</PersonLink>, </>}
          {text("console.allAdmins")}
        </dd>
        <dt>{text("console.history")}</dt><dd>{text(group.replay_history ? "console.yes" : "console.no")}</dd>
        <dt>{text("console.made")}</dt><dd><Moment at={group.created_time} /></dd>
      </dl>
      {!group.everyone && !group.directory && <Rota group={group} onChange={reload} />}
      {group.everyone ? (
        <p>{text("console.everybodyWhy", { n: group.num_members })}</p>
      ) : (
        <GroupMembers organization={organization.token} group={group} members={members} onChange={reload} />
      )}
      {asked === "edit" && (
        <Dialog title={text("editGroup")} onClose={close}>
          <Form
            act={text("save")}
            onCancel={close}
            onSubmit={async (fields) => {
              const name = String(fields.get("name")).trim();
              const description = String(fields.get("description")).trim();
              const history = fields.has("history");
              await client.updateGroup(token, {
                ...(name !== group.name && { name }),
                ...(description !== group.description && { description }),
                ...(history !== group.replay_history && { replay_history: history }),
                ...(fields.has("public") !== group.is_public && { is_public: fields.has("public") }),
              });
              toast(text("saved"));
              close();
              reload();
            }}
          >
            <Field label={text("groupName")} name="name" value={group.name} autocomplete="off" required maxLength={longestName} />
            <Field label={text("console.description")} name="description" value={group.description} autocomplete="off" optional />
            <label class="check">
              <input type="checkbox" name="history" defaultChecked={group.replay_history} />
              {text("showHistory")}
            </label>
            {!group.everyone && (
              <label class="check">
                <input type="checkbox" name="public" defaultChecked={group.is_public} />
                {text("console.publicWhy")}
              </label>
            )}
          </Form>
        </Dialog>
      )}
      {asked === "delete" && (
        <Confirm
          title={text("console.deleteGroup")}
          act={text("console.deleteGroup")}
          danger
          onClose={close}
          onConfirm={async () => {
            await client.deleteGroup(token);
            toast(text("console.done"));
            go(list);
          }}
        >
          <p>{text("console.deleteGroupWhy", { name: group.name })}</p>
        </Confirm>
      )}
    </article>
  );
}

/** creatorOf is who made a group, as far as it is still known here. */
async function creatorOf(
  group: Schemas["Group"], members: readonly Schemas["UserEntity"][], organization: string,
): Promise<Pick<Schemas["UserEntity"], "token" | "display_name"> | undefined> {
  const token = group.created_by;
  if (!token) return undefined;
  const member = members.find((one) => one.token === token);
  return member ?? (await client.listMembers(organization, { account: token })).results[0];
}
