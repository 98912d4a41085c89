import { useState } from "preact/hooks";
import type { Schemas } from "../client/index";
import { Confirm } from "../kit/Confirm";
import { describe } from "../kit/describe";
import { Dialog } from "../kit/Dialog";
import { Field } from "../kit/Field";
import { Form } from "../kit/Form";
import { Icon } from "../kit/Icon";
import { type Choice, Menu } from "../kit/Menu";
import { save } from "../kit/save";
import { go } from "../kit/state/route";
import { client, resume, session } from "../kit/state/session";
import { toast } from "../kit/Toasts";
import { useBusy } from "../kit/useBusy";
import { type Text, text } from "../text/text";
import { EditPerson } from "./EditPerson";

type Ask = "edit" | "password" | "disable" | "enable" | "admin" | "notAdmin" | "remove" | "erase";
type Question = "disable" | "enable" | "admin" | "notAdmin" | "remove";

const questions: Readonly<Record<Question, readonly [Text, Text]>> = {
  disable: ["console.disable", "console.disableWhy"], enable: ["console.enable", "console.enableWhy"],
  admin: ["console.makeAdmin", "console.makeAdminWhy"], notAdmin: ["console.endAdmin", "console.endAdminWhy"],
  remove: ["console.remove", "console.removeWhy"],
};

/** PersonActs are what an administrator does with an account: what is done daily in sight, the rest in a menu. */
export function PersonActs(props: { organization: string; of: Schemas["Member"]; seesAddresses: boolean; onChange: () => void }) {
  const { organization: org, of: person, onChange } = props;
  const { token, display_name: name } = person;
  const [asked, setAsked] = useState<Ask | undefined>();
  const { run } = useBusy();
  const close = () => setAsked(undefined);
  const list = () => go(`/console/organizations/${org}/people`);
  const operator = session.value?.operator ?? false;
  const self = token === session.value?.account.token;
  const rules = person.managed === true && !self; // whoever names an account decides about the whole of it
  const admin = person.roles.includes("admin");
  const changed = () => {
    if (self) void resume(); // the name in the head of the page is one's own
    onChange();
  };
  const acts: Readonly<Record<Question, () => Promise<unknown>>> = {
    disable: () => client.disableUser(token),
    enable: () => client.enableUser(token),
    admin: () => client.grantRole(token, org, "admin"),
    notAdmin: () => client.revokeRole(token, org, "admin"),
    remove: () => client.removeFromOrganization(token, org),
  };
  const download = async () => {
    try {
      const archive = await client.exportUser(token);
      save(archive.name || `${person.username || token}.zip`, await archive.blob());
    } catch (error) {
      toast(describe(error), { danger: true });
    }
  };
  const choice = (ask: Question, more: Partial<Choice> = {}): Choice => (
    { label: text(questions[ask][0]), onChoose: () => setAsked(ask), ...more }
  );
  const choices = (): Choice[] => [
    choice(admin ? "notAdmin" : "admin"),
    { label: text("console.export"), onChoose: () => void run(download) },
    ...(rules && person.disabled ? [choice("enable")] : []),
    ...(rules && !person.disabled ? [choice("disable", { danger: true, apart: true })] : []),
    choice("remove", { danger: true, apart: !rules || person.disabled === true }),
    ...(rules ? [{ label: text("console.erase"), danger: true, onChoose: () => setAsked("erase") }] : []),
  ];
  const question = asked && asked in questions ? (asked as Question) : undefined;
  return (
    <>
      <div class="acts">
        <button type="button" class="primary" onClick={() => setAsked("edit")}>
          <Icon name="edit" /> {text("console.edit")}
        </button>
        {rules && <button type="button" onClick={() => setAsked("password")}>{text("console.setPassword")}</button>}
        <Menu label={text("console.moreActs")} choices={choices}><Icon name="more" /></Menu>
      </div>
      {!rules && <p class="muted">{text(self ? "console.ownAccount" : operator ? "console.ofOperator" : "console.notManaged")}</p>}
      {asked === "edit" && (
        <EditPerson organization={org} of={person} seesAddresses={props.seesAddresses} onDone={changed} onClose={close} />
      )}
      {question && (
        <Confirm
          title={text(questions[question][0])}
          act={text(questions[question][0])}
          danger={question === "disable" || question === "remove"}
          onClose={close}
          onConfirm={async () => {
            await acts[question]();
            if (self) await resume(); // the page goes by what one may do oneself
            toast(text("console.done"));
            if (question === "remove") list();
            else onChange();
          }}
        >
          <p>{text(questions[question][1], { name })}</p>
        </Confirm>
      )}
      {asked === "password" && (
        <Dialog title={text("console.setPassword")} onClose={close}>
          <Form
            act={text("console.setPassword")}
            onCancel={close}
            onSubmit={async (fields) => {
              const scope = operator ? {} : { organization: org };
              await client.setPassword(token, { password: String(fields.get("password")), ...scope });
              toast(text("console.passwordSet"));
              close();
              onChange();
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
              await client.eraseUser(token, String(fields.get("username")).trim());
              toast(text("console.erased", { name }));
              list();
            }}
          >
            <p>{text("console.eraseWhy", { name })}</p>
            <Field label={text("console.typeUsername", { name: repeated(person) })} name="username" verbatim autocomplete="off" required />
          </Form>
        </Dialog>
      )}
    </>
  );
}

/** repeated is what is typed once more before an account is deleted: its username, or an address of one without. */
function repeated({ username, emails, phones }: Schemas["Member"]): string {
  return username || emails[0]?.address || phones[0]?.number || "";
}
