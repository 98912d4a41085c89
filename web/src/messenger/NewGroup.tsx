import { useState } from "preact/hooks";
import { Dialog } from "../kit/Dialog";
import { Field } from "../kit/Field";
import { Form } from "../kit/Form";
import { longestName } from "../kit/limits";
import { Select } from "../kit/Select";
import { client } from "../kit/state/session";
import { text } from "../text/text";
import { PeopleChooser } from "./PeopleChooser";
import { begin, type Entity, within } from "./state/conversations";
import { byName } from "./state/organizations";
import type { Found } from "./state/search";

/** NewGroup makes a group of people who are found by their names. */
export function NewGroup({ onClose }: { onClose: () => void }) {
  const [members, setMembers] = useState<readonly Found[]>([]);
  const [organization, setOrganization] = useState(within.value ?? byName.value[0]?.token);
  return (
    <Dialog title={text("newGroup")} onClose={onClose}>
      <Form
        act={text("makeGroup")}
        onCancel={onClose}
        onSubmit={async (fields) => {
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
        {byName.value.length > 1 && organization && (
          <Select
            label={text("organization")}
            value={organization}
            onChange={(to) => {
              setOrganization(to);
              setMembers([]); // they may not be there
            }}
            options={Object.fromEntries(byName.value.map(({ token, name }) => [token, name]))}
          />
        )}
        <Field label={text("groupName")} name="name" autocomplete="off" required maxLength={longestName} />
        <PeopleChooser label={text("addPeople")} organization={organization} chosen={members} onChange={setMembers} />
        <label class="check">
          <input type="checkbox" name="history" />
          {text("showHistory")}
        </label>
      </Form>
    </Dialog>
  );
}
