import type { Schemas } from "../client/index";
import { Dialog } from "../kit/Dialog";
import { Field } from "../kit/Field";
import { Form } from "../kit/Form";
import { client, session } from "../kit/state/session";
import { toast } from "../kit/Toasts";
import { text } from "../text/text";

type Change = Schemas["PersonChange"];

/** apart splits a list of addresses: phone numbers are written with blanks. */
const apart = {
  emails: (words: string) => words.split(/[\s,;]+/).filter(Boolean),
  phones: (words: string) => words.split(/[,;]+/).map((one) => one.trim()).filter(Boolean),
};

/** EditPerson changes what an account is called, its addresses, and what it is in an organization. */
export function EditPerson(props: {
  organization: string;
  of: Schemas["Member"];
  /** Whether the reader sees the addresses: a list that is not seen is not to be replaced. */
  seesAddresses: boolean;
  onDone: () => void;
  onClose: () => void;
}) {
  const { of: person, onClose } = props;
  const fixed = !person.managed;
  const unseen = fixed || !props.seesAddresses;
  const lists = {
    emails: person.emails.map(({ address }) => address),
    phones: person.phones.map(({ number }) => number),
  };
  const save = async (fields: FormData) => {
    const body: Change = {};
    for (const name of ["display_name", "first_name", "last_name", "username", "title", "department"] as const) {
      const value = String(fields.get(name)).trim();
      if (value !== (person[name] ?? "")) body[name] = value;
    }
    for (const name of ["emails", "phones"] as const) {
      const list = apart[name](String(fields.get(name)));
      if (list.join() !== lists[name].join()) body[name] = list;
    }
    if (Object.keys(body).length > 0) {
      await client.in(props.organization).updateUser(person.token, body);
      toast(text("saved"));
    }
    onClose();
    props.onDone();
  };
  return (
    <Dialog title={text("console.edit")} onClose={onClose}>
      <Form act={text("save")} onCancel={onClose} onSubmit={save}>
        {fixed && <p class="muted">{text(session.value?.operator ? "console.ofOperator" : "console.namesFixed")}</p>}
        <Field
          label={text("console.displayName")} name="display_name" value={person.display_name} autocomplete="off"
          required={!fixed} readOnly={fixed}
        />
        <div class="pair">
          <Field label={text("console.firstName")} name="first_name" value={person.first_name} autocomplete="off" optional={!fixed} readOnly={fixed} />
          <Field label={text("console.lastName")} name="last_name" value={person.last_name} autocomplete="off" optional={!fixed} readOnly={fixed} />
        </div>
        <Field label={text("console.username")} name="username" value={person.username} verbatim autocomplete="off" readOnly={fixed} />
        {!fixed && unseen && <p class="muted">{text("console.addressesUnseen")}</p>}
        <Field
          label={text("console.emails")} name="emails" value={lists.emails.join(", ")} inputMode="email" verbatim autocomplete="off"
          readOnly={unseen} refusedAs="email" hint={unseen ? undefined : text("console.severalHint")}
        />
        <Field
          label={text("console.phones")} name="phones" value={lists.phones.join(", ")} type="tel" autocomplete="off"
          readOnly={unseen} refusedAs="phone" hint={unseen ? undefined : text("console.severalHint")}
        />
        <div class="pair">
          <Field label={text("console.jobTitle")} name="title" value={person.title ?? ""} autocomplete="off" optional />
          <Field label={text("console.department")} name="department" value={person.department ?? ""} autocomplete="off" optional />
        </div>
      </Form>
    </Dialog>
  );
}
