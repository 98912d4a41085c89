import { useEffect, useRef, useState } from "preact/hooks";
import { renew } from "../state/conversations";
import { type Group, mayControl } from "../state/groups";
import { client } from "../state/session";
import { size } from "../text/format";
import { text } from "../text/text";
import { Avatar } from "../view/Avatar";
import { Dialog } from "../view/Dialog";
import { Field } from "../view/Field";
import { Form } from "../view/Form";

const kinds = "image/png,image/jpeg,image/gif,image/webp";
const largest = 2 * 2 ** 20; // bytes

/** EditGroup changes a group's name and picture, and what those see who are added later. */
export function EditGroup({ group, onClose }: { group: Group; onClose: () => void }) {
  const [picture, setPicture] = useState<File | "">(); // undefined: it stays
  const [typed, setTyped] = useState(group.name);
  const there = client.in(group.organization_key);
  return (
    <Dialog title={text("editGroup")} onClose={onClose}>
      <Form
        act={text("save")}
        onCancel={onClose}
        onSubmit={async (fields) => {
          const name = typed.trim();
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
        {(problemOf) => (
          <>
            <Picture group={group} value={picture} onChange={setPicture} problem={problemOf("avatar")} />
            <Field
              label={text("groupName")} name="name" value={typed} autocomplete="off" required maxLength={256}
              problem={problemOf("name")} onInput={(event) => setTyped(event.currentTarget.value)}
            />
            {mayControl(group) && (
              <label class="check">
                <input type="checkbox" name="history" defaultChecked={group.replay_history} />
                {text("showHistory")}
              </label>
            )}
          </>
        )}
      </Form>
    </Dialog>
  );
}

/** Picture shows what is to be the group's picture, and takes another one or none. */
function Picture(props: {
  group: Group;
  value: File | "" | undefined;
  onChange: (to: File | "" | undefined) => void;
  problem: string | undefined;
}) {
  const { group, value, onChange } = props;
  const picker = useRef<HTMLInputElement>(null);
  const [address, setAddress] = useState<string>();
  const [refused, setRefused] = useState("");
  useEffect(() => {
    if (!value) return setAddress(undefined);
    const made = URL.createObjectURL(value);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [value]);
  const choose = (file: File | undefined) => {
    if (!file) return;
    const large = file.size > largest;
    setRefused(large ? text("fileTooLarge", { name: file.name, limit: size(largest), size: size(file.size) }) : "");
    if (!large) onChange(file);
  };
  const problem = refused || props.problem;
  return (
    <div class="portray">
      {address ? (
        <img class="avatar" src={address} alt="" />
      ) : (
        <Avatar name={group.display_name} token={group.token} picture={value === "" ? undefined : group.avatar} />
      )}
      <input
        ref={picker}
        type="file"
        accept={kinds}
        class="unseen"
        tabIndex={-1}
        aria-hidden="true"
        onChange={(event) => {
          choose(event.currentTarget.files?.[0]);
          event.currentTarget.value = "";
        }}
      />
      <button type="button" onClick={() => picker.current?.click()}>
        {text("choosePicture")}
      </button>
      {(value || (value === undefined && group.avatar)) && (
        <button type="button" onClick={() => onChange(group.avatar ? "" : undefined)}>
          {text("removePicture")}
        </button>
      )}
      {problem && <small role="alert" class="problem">{problem}</small>}
    </div>
  );
}
