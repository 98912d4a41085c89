import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Field } from "../kit/Field";
import { Form } from "../kit/Form";
import { Icon } from "../kit/Icon";
import { Link } from "../kit/Link";
import { client, session } from "../kit/state/session";
import { text } from "../text/text";
import { Import } from "./later";
import { NewPerson } from "./NewPerson";
import { NewOrganization } from "./Organizations";

/** FirstStart leads the operator of a new server through a password, an organization, its first people and a first message. */
export function FirstStart() {
  const [password, setPassword] = useState<"asked" | "set">("asked");
  const [organization, setOrganization] = useState<{ token: string; name: string } | undefined>();
  const [people, setPeople] = useState<readonly string[]>([]);
  const [many, setMany] = useState(false);
  return (
    <div class="steps">
      <h1>{text("console.welcome")}</h1>
      <p class="muted">{text("console.welcomeWhy")}</p>
      <ol>
        <Step title={text("console.stepPassword")} done={password === "set"}>
          <p>{text("console.stepPasswordWhy")}</p>
          <Form
            act={text("console.setPassword")}
            onSubmit={async (fields) => {
              await client.setPassword("me", { password: String(fields.get("password")) });
              setPassword("set");
            }}
          >
            <Field label={text("console.newPassword")} name="password" type="password" autocomplete="new-password" required
              hint={text("console.signInAs", { name: session.value?.account.username ?? "" })} />
          </Form>
        </Step>
        <Step title={text("console.stepOrganization")} done={organization !== undefined} name={organization?.name}>
          <p>{text("console.stepOrganizationWhy")}</p>
          <NewOrganization onMade={(token, name) => setOrganization({ token, name })} />
        </Step>
        <Step title={text("console.stepPeople")} done={false} waits={organization === undefined}>
          {organization && (
            <>
              <p>{text("console.stepPeopleWhy")}</p>
              {people.length > 0 && (
                <ul class="made">
                  {people.map((name) => (
                    <li key={name} dir="auto"><Icon name="check" /> {name}</li>
                  ))}
                </ul>
              )}
              {many ? (
                <Import organization={organization.token} onDone={() => setMany(false)} />
              ) : (
                <NewPerson key={people.length} organization={organization.token} onMade={(_, name) => setPeople([...people, name])} />
              )}
              <p>
                <button type="button" onClick={() => setMany(!many)}>{text(many ? "console.oneByOne" : "console.import")}</button>
              </p>
            </>
          )}
        </Step>
        <Step title={text("console.stepMessage")} done={false} waits={organization === undefined}>
          {organization && (
            <>
              <p>{text("console.stepMessageWhy")}</p>
              <p class="acts">
                <a class="button" href="/"><Icon name="chat" /> {text("console.messenger")}</a>
                <Link class="button" to={`/console/organizations/${organization.token}/people`}>{organization.name}</Link>
              </p>
            </>
          )}
        </Step>
      </ol>
    </div>
  );
}

function Step(props: { title: string; done: boolean; name?: string | undefined; waits?: boolean; children: ComponentChildren }) {
  return (
    <li class={props.done ? "step done" : props.waits ? "step waits" : "step"}>
      <h2>
        {props.title}
        {props.done && <Icon name="check" />}
      </h2>
      {props.done ? props.name && <p dir="auto">{props.name}</p> : props.children}
    </li>
  );
}
