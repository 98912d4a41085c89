import { useState } from "preact/hooks";
import { type Schemas, SignetError } from "../client/index";
import { Confirm } from "../kit/Confirm";
import { Field } from "../kit/Field";
import { filled, Form } from "../kit/Form";
import { client, session } from "../kit/state/session";
import { toast } from "../kit/Toasts";
import { useLoaded } from "../kit/useLoaded";
import { text } from "../text/text";
import { IdentityTest } from "./IdentityTest";
import { IdentityUse } from "./IdentityUse";
import type { OfOrganization } from "./tab";

type Provider = Schemas["Identity"];

/** Identity sets up the provider with which members of an organization sign in, step by step. */
export function Identity({ organization }: OfOrganization) {
  const { value, problem, reload } = useLoaded(() => providerOf(organization.token), [organization.token]);
  const [removing, setRemoving] = useState(false);
  if (problem) return <p role="alert" class="problem">{problem}</p>;
  if (value === undefined) return <p class="empty wait">{text("loading")}</p>;
  const provider = value === "none" ? undefined : value;
  return (
    <div class="sheet">
      <p class="muted">{text("console.identityWhy")}</p>
      <section>
        <h2>{text("console.identityAt")}</h2>
        <p>{text("console.identityAtWhy")}</p>
        <dl class="facts">
          <dt>{text("console.redirectURI")}</dt>
          <dd><code>{provider?.redirect_uri ?? uriOf(organization.token, "callback")}</code></dd>
          <dt>{text("console.logoutURI")}</dt>
          <dd><code>{provider?.backchannel_logout_uri ?? uriOf(organization.token, "logout")}</code></dd>
        </dl>
      </section>
      <section>
        <h2>{text("console.identityHere")}</h2>
        <SetUp organization={organization.token} provider={provider} onDone={reload} />
      </section>
      {provider && (
        <>
          <IdentityTest organization={organization.token} provider={provider} onDone={reload} />
          <IdentityUse organization={organization.token} provider={provider} onDone={reload} />
          <section>
            <h2>{text("console.identityRemove")}</h2>
            <p>{text("console.identityRemoveWhy")}</p>
            <button type="button" class="danger" onClick={() => setRemoving(true)}>{text("console.identityRemove")}</button>
          </section>
        </>
      )}
      {removing && (
        <Confirm
          title={text("console.identityRemove")}
          act={text("console.identityRemove")}
          danger
          onClose={() => setRemoving(false)}
          onConfirm={async () => {
            await client.removeIdentity(organization.token);
            reload();
          }}
        >
          <p>{text("console.identityRemoveWhy")}</p>
        </Confirm>
      )}
    </div>
  );
}

/** providerOf is the provider of an organization, or that there is none. */
async function providerOf(organization: string): Promise<Provider | "none"> {
  try {
    return await client.getIdentity(organization);
  } catch (error) {
    if (error instanceof SignetError && error.status === 404) return "none";
    throw error;
  }
}

/** uriOf is what the provider has to know, before there is one. */
function uriOf(organization: string, what: string): string {
  return `${location.origin}/v2/session/oidc/${organization}/${what}`;
}

/** listIn is what a field holds, with commas or blanks in between. */
function listIn(fields: FormData, name: string, between: RegExp): string[] {
  return String(fields.get(name)).split(between).map((one) => one.trim()).filter((one) => one !== "");
}

/** SetUp is what the provider says of itself, and of people. A new one signs nobody in before it is switched on. */
function SetUp(props: { organization: string; provider: Provider | undefined; onDone: () => void }) {
  const { organization, provider, onDone } = props;
  return (
    <Form
      act={text("save")}
      onSubmit={async (fields) => {
        const { issuer = "", client_id = "", client_secret, name } = filled(fields, "issuer", "client_id", "client_secret", "name");
        const claims = filled(fields, "username", "email", "display_name", "groups");
        const domains = listIn(fields, "domains", /[\s,]+/);
        await client.setIdentity(organization, {
          issuer, client_id, claims,
          ...(client_secret && { client_secret }),
          ...(name && { name }),
          ...(domains.join() !== provider?.domains.join() && { domains }),
          admin_groups: listIn(fields, "admin_groups", /,/),
          provision: fields.has("provision"),
          ...(!provider && { enabled: false }),
        });
        toast(text("saved"));
        onDone();
      }}
    >
      <Field
        label={text("console.issuer")} name="issuer" type="url" required value={provider?.issuer ?? ""} autocomplete="off" verbatim
        placeholder="https://login.example.com" hint={text("console.issuerHint")}
      />
      <div class="pair">
        <Field label={text("console.clientID")} name="client_id" required value={provider?.client_id ?? ""} autocomplete="off" verbatim />
        <Field
          label={text("console.clientSecret")} name="client_secret" type="password" optional autocomplete="off"
          hint={text(provider?.has_secret ? "console.clientSecretKept" : "console.clientSecretHint")}
        />
      </div>
      <Field label={text("console.identityName")} name="name" optional value={provider?.name ?? ""} hint={text("console.identityNameHint")} />
      <Field
        label={text("console.domains")} name="domains" optional value={provider?.domains.join(" ") ?? ""} autocomplete="off" verbatim
        placeholder="example.com" hint={text("console.domainsHint")}
      />
      {provider && <Waiting organization={organization} provider={provider} onDone={onDone} />}
      <Field
        label={text("console.adminGroups")} name="admin_groups" optional value={provider?.admin_groups.join(", ") ?? ""}
        autocomplete="off" verbatim hint={text("console.adminGroupsHint")}
      />
      <label class="check">
        <input type="checkbox" name="provision" defaultChecked={provider?.provision ?? false} />
        {text("console.provision")}
      </label>
      <details>
        <summary>{text("console.claims")}</summary>
        <p class="muted">{text("console.claimsWhy")}</p>
        <Field label={text("console.usernameClaim")} name="username" optional value={provider?.claims.username ?? ""} placeholder="preferred_username" autocomplete="off" verbatim />
        <Field label={text("console.email")} name="email" optional value={provider?.claims.email ?? ""} placeholder="email" autocomplete="off" verbatim />
        <Field label={text("console.displayName")} name="display_name" optional value={provider?.claims.display_name ?? ""} placeholder="name" autocomplete="off" verbatim />
        <Field label={text("console.groups")} name="groups" optional value={provider?.claims.groups ?? ""} placeholder="groups" autocomplete="off" verbatim />
      </details>
    </Form>
  );
}

/** Waiting are the domains that no operator has confirmed yet; an operator does. */
function Waiting(props: { organization: string; provider: Provider; onDone: () => void }) {
  const { organization, provider, onDone } = props;
  const [asked, setAsked] = useState(false);
  const waiting = provider.domains.filter((one) => !provider.confirmed_domains.includes(one));
  if (waiting.length === 0) return null;
  const list = waiting.join(", ");
  return (
    <>
      <p class="notice">
        {text("console.domainsWait", { list })}{" "}
        {session.value?.operator && (
          <button type="button" class="quiet" onClick={() => setAsked(true)}>{text("console.domainsConfirm")}</button>
        )}
      </p>
      {asked && (
        <Confirm
          title={text("console.domainsConfirm")}
          act={text("console.domainsConfirm")}
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            await client.setIdentity(organization, { domains: provider.domains });
            onDone();
          }}
        >
          <p>{text("console.domainsConfirmWhy", { list })}</p>
        </Confirm>
      )}
    </>
  );
}
