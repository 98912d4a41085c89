import { useState } from "preact/hooks";
import { begin, type Entity, within } from "../state/conversations";
import { organizations } from "../state/organizations";
import type { Found } from "../state/search";
import { client } from "../state/session";
import { text } from "../text/text";
import { Dialog } from "../view/Dialog";
import { Field } from "../view/Field";
import { Form } from "../view/Form";
import { PeopleChooser } from "./PeopleChooser";

/** NewGroup makes a group of people who are found by their names. */
export function NewGroup({ onClose }: { onClose: () => void }) {
  const [members, setMembers] = useState<readonly Found[]>([]);
  return (
    <Dialog title={text("newGroup")} onClose={onClose}>
      <Form
        act={text("makeGroup")}
        onCancel={onClose}
        onSubmit={async (fields) => {
          const organization = members[0]?.organization ?? within.value ?? [...organizations.value.keys()][0];
          const made = await client.createGroup(
            {
              name: String(fields.get("name")).trim(),
              members: members.map(({ entity }) => entity.token),
              replay_history: fields.has("history"),
            },
            { render_entity: true, ...(organization && { organization }) },
          );
          onClose();
          if (made.group) begin({ ...made.group, type: made.group.xmlns } as Entity, made.group.organization_key);
        }}
      >
        {(problemOf) => (
          <>
            <Field label={text("groupName")} name="name" autocomplete="off" required maxLength={256} problem={problemOf("name")} />
            <PeopleChooser label={text("addPeople")} chosen={members} onChange={setMembers} problem={problemOf("members")} />
            <label class="check">
              <input type="checkbox" name="history" />
              {text("showHistory")}
            </label>
          </>
        )}
      </Form>
    </Dialog>
  );
}
