import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Field } from "../kit/Field";
import { begin } from "../kit/focus";
import { Form } from "../kit/Form";
import { Icon } from "../kit/Icon";
import { Link } from "../kit/Link";
import { client, resume, session } from "../kit/state/session";
import { useLoaded } from "../kit/useLoaded";
import { text } from "../text/text";
import { FirstMessage } from "./FirstMessage";
import { FirstPerson } from "./FirstPerson";
import { Import } from "./ImportLater";
import { NewOrganization } from "./Organizations";
import { find, type Found, type Newcomer } from "./state/first";

type Name = "password" | "organization" | "people" | "message";

/**
 * FirstStart leads the operator of a new server through a password, an organization, its first people and a first message.
 * What is done is what there is, whoever did it and where: it goes on after a reload, and in another browser.
 */
export function FirstStart() {
  const { value: found, problem, reload } = useLoaded(find, []);
  const [adding, setAdding] = useState(false); // more people, though there are some
  const [made, setMade] = useState<readonly Newcomer[]>([]);
  const [many, setMany] = useState(false);
  const [read, setRead] = useState(false);
  const open = found && current(found, adding);
  const steps = useFocus(open, made.length);
  const refused = problem && (
    <p role="alert" class="problem">
      {problem} <button type="button" onClick={reload}>{text("tryAgain")}</button>
    </p>
  );
  if (!found || !open) return refused || <p class="empty wait">{text("loading")}</p>;
  const { organization, people, some } = found;
  const me = session.value?.account.username ?? "";
  const first = made[0] ?? some[0];
  const of = (name: Name) => ({ name, open });
  return (
    <div class="steps">
      <h1>{text("console.welcome")}</h1>
      <p class="muted">{text("console.welcomeWhy")}</p>
      {refused}
      <ol ref={steps}>
        <Step {...of("password")} title={text("console.stepPassword")} done={session.value?.has_password && text("console.passwordIsSet", { name: me })}>
          <p>{text("console.stepPasswordWhy")} {text("console.signInAs", { name: me })}</p>
          <Form
            act={text("console.setPassword")}
            onSubmit={async (fields) => {
              await client.setPassword("me", { password: String(fields.get("password")) });
              await resume();
            }}
          >
            <Field label={text("console.newPassword")} name="password" type="password" autocomplete="new-password" required />
          </Form>
        </Step>
        <Step {...of("organization")} title={text("console.stepOrganization")} done={organization && <bdi>{organization.name}</bdi>}>
          <p>{text("console.stepOrganizationWhy")}</p>
          <NewOrganization onMade={reload} />
        </Step>
        <Step
          {...of("people")}
          title={text("console.stepPeople")}
          done={people > 0 && (
            <>
              <People found={found} />{" "}
              <button type="button" class="quiet" onClick={() => setAdding(true)}>{text("console.addMore")}</button>
            </>
          )}
        >
          <p>{text("console.stepPeopleWhy")}</p>
          {people > 0 && <p role="status"><People found={found} /></p>}
          {organization && (many ? (
            <Import organization={organization.token} />
          ) : (
            <FirstPerson
              key={made.length}
              organization={organization.token}
              onMade={(one) => {
                setMade([...made, one]);
                setAdding(true);
                reload();
              }}
            />
          ))}
          <p class="acts">
            <button type="button" onClick={() => setMany(!many)}>{text(many ? "console.oneByOne" : "console.import")}</button>
            {(people > 0 || many) && (
              <button
                type="button"
                onClick={() => {
                  setAdding(false);
                  reload();
                }}
              >
                {text("console.continue")}
              </button>
            )}
          </p>
        </Step>
        <Step {...of("message")} title={text("console.stepMessage")} done={read && ""}>
          {organization?.isMember && first && (
            <FirstMessage organization={organization.token} person={first} onRead={() => setRead(true)} />
          )}
          {organization && (
            <p class="acts">
              <Link class="button" to={`/console/organizations/${organization.token}/people`}>
                {text("console.manage", { name: organization.name })}
              </Link>
            </p>
          )}
        </Step>
      </ol>
      {open === "message" && <p class="muted">{text("console.afterwards")}</p>}
    </div>
  );
}

/** current is the step that one is at: the first that is not done. */
function current({ organization, people }: Found, adding: boolean): Name {
  if (!session.value?.has_password) return "password";
  if (!organization) return "organization";
  return people === 0 || adding ? "people" : "message";
}

/** useFocus gives the first field of a step the focus when the step begins, or somebody was added: the field before it is gone. */
function useFocus(open: Name | undefined, added: number) {
  const steps = useRef<HTMLOListElement>(null);
  const before = useRef<{ open: Name | undefined; added: number }>({ open, added });
  useLayoutEffect(() => {
    const { open: last, added: known } = before.current;
    before.current = { open, added };
    if (last === undefined || (last === open && known === added)) return;
    const step = steps.current?.querySelector<HTMLElement>("[aria-current]");
    if (step) begin(step);
  }, [open, added]);
  return steps;
}

/** People are those who are there: how many, and some of their names. */
function People({ found: { people, some } }: { found: Found }) {
  const names = some.map((one) => one.display_name).join(", ");
  return <span dir="auto">{text("console.peopleAdded", { n: people, names: people > some.length ? `${names} …` : names })}</span>;
}

/** Step is a line once it is done, a card while one is at it, and its title alone before. */
function Step(props: { name: Name; open: Name; title: string; done: ComponentChildren; children: ComponentChildren }) {
  const isDone = props.done !== false && props.done !== undefined;
  const isOpen = props.name === props.open;
  return (
    <li
      class={isDone ? "step done" : isOpen ? "step" : "step waits"}
      aria-current={isOpen ? "step" : undefined}
      tabIndex={isOpen ? -1 : undefined}
    >
      <h2>
        {props.title}
        {isDone && <Icon name="check" />}
      </h2>
      {isOpen ? props.children : isDone && <p>{props.done}</p>}
    </li>
  );
}
