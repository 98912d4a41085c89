import { useState } from "preact/hooks";
import type { Schemas } from "../client/index";
import { Avatar } from "../kit/Avatar";
import { Confirm } from "../kit/Confirm";
import { describe } from "../kit/describe";
import { Dialog } from "../kit/Dialog";
import { Field } from "../kit/Field";
import { Form } from "../kit/Form";
import { Moment } from "../kit/Moment";
import { save } from "../kit/save";
import { go } from "../kit/state/route";
import { client, session } from "../kit/state/session";
import { toast } from "../kit/Toasts";
import { useBusy } from "../kit/useBusy";
import { useLoaded } from "../kit/useLoaded";
import { type Text, text } from "../text/text";
import { Membership } from "./Membership";
import { PersonKeys } from "./PersonKeys";

type Ask = "membership" | "password" | "disable" | "enable" | "admin" | "notAdmin" | "remove" | "erase";

/** Person shows a member of an organization, and what its administrators do with the account. */
export function Person({ organization, token }: { organization: Schemas["Organization"]; token: string }) {
  const org = organization.token;
  const { value, problem, reload } = useLoaded(
    async () => {
      const [user, roles, places] = await Promise.all([
        client.in(org).getUser(token), client.getRoles(token, org), client.getUserOrganizations(token),
      ]);
      return { user, roles: roles.roles.flatMap((one) => one.organization.roles), places };
    },
    [org, token],
  );
  const [asked, setAsked] = useState<Ask | undefined>();
  const { busy, run } = useBusy();
  if (problem) return <p role="alert" class="problem">{problem}</p>;
  if (!value) return <p class="empty">{text("loading")}</p>;
  const { user, roles, places } = value;
  const admin = roles.includes("admin");
  const list = () => go(`/console/organizations/${org}/people`);
  const close = () => setAsked(undefined);
  const done = (words: string) => {
    toast(words);
    reload();
  };
  const download = async () => {
    try {
      const archive = await client.exportUser(token);
      save(archive.name || `${user.username || token}.zip`, await archive.blob());
    } catch (error) {
      toast(describe(error), { danger: true });
    }
  };
  const acts: Partial<Record<Ask, () => Promise<void>>> = {
    disable: () => client.disableUser(token),
    enable: () => client.enableUser(token),
    admin: () => client.grantRole(token, org, "admin").then(() => undefined),
    notAdmin: () => client.revokeRole(token, org, "admin"),
    remove: () => client.removeFromOrganization(token, org),
  };
  const questions: Partial<Record<Ask, readonly [Text, Text]>> = {
    disable: ["console.disable", "console.disableWhy"], enable: ["console.enable", "console.enableWhy"],
    admin: ["console.makeAdmin", "console.makeAdminWhy"], notAdmin: ["console.endAdmin", "console.endAdminWhy"],
    remove: ["console.remove", "console.removeWhy"],
  };
  const question = asked && questions[asked];
  return (
    <article class="profile">
      <header>
        <Avatar name={user.display_name} token={user.token} picture={user.avatar} />
        <div>
          <h2 dir="auto">{user.display_name}</h2>
          <p class="muted" dir="auto">{[user.title, user.department].filter(Boolean).join(" · ")}</p>
          {user.disabled && <em class="tag danger">{text("console.disabled")}</em>}
          {admin && <em class="tag">{text("console.admin")}</em>}
        </div>
      </header>
      <div class="acts">
        <button type="button" onClick={() => setAsked("membership")}>{text("console.membership")}</button>
        <button type="button" onClick={() => setAsked("password")}>{text("console.setPassword")}</button>
        <button type="button" onClick={() => setAsked(admin ? "notAdmin" : "admin")}>
          {text(admin ? "console.endAdmin" : "console.makeAdmin")}
        </button>
        <button type="button" aria-disabled={busy} onClick={() => void run(download)}>{text("console.export")}</button>
        <button type="button" onClick={() => setAsked(user.disabled ? "enable" : "disable")}>
          {text(user.disabled ? "console.enable" : "console.disable")}
        </button>
        <button type="button" class="danger" onClick={() => setAsked("remove")}>{text("console.remove")}</button>
        <button type="button" class="danger" onClick={() => setAsked("erase")}>{text("console.erase")}</button>
      </div>
      <dl class="facts">
        <dt>{text("console.username")}</dt><dd dir="auto">{user.username}</dd>
        <dt>{text("console.email")}</dt><dd dir="auto">{user.emails.map(({ address }) => address).join(", ") || "–"}</dd>
        <dt>{text("console.phone")}</dt><dd>{user.phones.map(({ number }) => number).join(", ") || "–"}</dd>
        <dt>{text("console.made")}</dt><dd><Moment at={user.created_time} /></dd>
        <dt>{text("console.token")}</dt><dd><code>{user.token}</code></dd>
        <dt>{text("console.memberships")}</dt><dd dir="auto">{places.map(({ name }) => name).join(", ")}</dd>
      </dl>
      <PersonKeys organization={organization} token={token} />
      {question && asked && (
        <Confirm
          title={text(question[0])}
          act={text(question[0])}
          danger={asked === "disable" || asked === "remove"}
          onClose={close}
          onConfirm={async () => {
            await acts[asked]?.();
            if (asked === "remove") list();
            else done(text("console.done"));
          }}
        >
          <p>{text(question[1], { name: user.display_name })}</p>
        </Confirm>
      )}
      {asked === "membership" && (
        <Dialog title={text("console.membership")} onClose={close}>
          <Membership organization={org} of={user} onDone={() => (close(), reload())} onCancel={close} />
        </Dialog>
      )}
      {asked === "password" && (
        <Dialog title={text("console.setPassword")} onClose={close}>
          <Form
            act={text("console.setPassword")}
            onCancel={close}
            onSubmit={async (fields) => {
              const password = String(fields.get("password"));
              const scope = session.value?.operator ? {} : { organization: org };
              await client.setPassword(token, { password, ...scope });
              close();
              done(text("console.passwordSet"));
            }}
          >
            <Field label={text("console.newPassword")} name="password" type="password" autocomplete="new-password" required
              hint={text("console.firstPasswordHint")} />
          </Form>
        </Dialog>
      )}
      {asked === "erase" && (
        <Dialog title={text("console.erase")} onClose={close}>
          <Form
            act={text("console.erase")}
            danger
            onCancel={close}
            onSubmit={async (fields) => {
              await client.eraseUser(token, String(fields.get("username")));
              toast(text("console.erased", { name: user.display_name }));
              list();
            }}
          >
            <p>{text("console.eraseWhy", { name: user.display_name })}</p>
            <Field label={text("console.typeUsername", { name: user.username })} name="username" autocomplete="off" required />
          </Form>
        </Dialog>
      )}
    </article>
  );
}
