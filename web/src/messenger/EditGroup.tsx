import { useState } from "preact/hooks";
import { Dialog } from "../kit/Dialog";
import { Field } from "../kit/Field";
import { Form } from "../kit/Form";
import { longestName } from "../kit/limits";
import { client } from "../kit/state/session";
import { text } from "../text/text";
import { PictureChooser } from "./PictureChooser";
import { renew } from "./state/conversations";
import { type Group, mayControl } from "./state/groups";

/** EditGroup changes a group's name and picture, and what those see who are added later. */
export function EditGroup({ group, onClose }: { group: Group; onClose: () => void }) {
  const [picture, setPicture] = useState<File | "">(); // undefined: it stays
  const there = client.in(group.organization_key);
  return (
    <Dialog title={text("editGroup")} onClose={onClose}>
      <Form
        act={text("save")}
        onCancel={onClose}
        onSubmit={async (fields) => {
          const name = String(fields.get("name")).trim();
          const history = fields.has("history");
          await there.updateGroup(group.token, {
            ...(name !== group.name && { name }),
            ...(picture !== undefined && { avatar: picture }),
            ...(mayControl(group) && history !== group.replay_history && { replay_history: history }),
          });
          renew(await there.getGroup(group.token));
          onClose();
        }}
      >
        <PictureChooser of={group} value={picture} onChange={setPicture} />
        <Field label={text("groupName")} name="name" value={group.name} autocomplete="off" required maxLength={longestName} />
        {mayControl(group) && (
          <label class="check">
            <input type="checkbox" name="history" defaultChecked={group.replay_history} />
            {text("showHistory")}
          </label>
        )}
      </Form>
    </Dialog>
  );
}
