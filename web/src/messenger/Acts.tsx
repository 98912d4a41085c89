import { useState } from "preact/hooks";
import type { Message } from "../client/index";
import { Confirm } from "../kit/Confirm";
import { Icon } from "../kit/Icon";
import { type Choice, Menu } from "../kit/Menu";
import { client } from "../kit/state/session";
import { toast } from "../kit/Toasts";
import { text } from "../text/text";
import { Forward } from "./Forward";
import { conversations } from "./state/conversations";
import { draftOf, write } from "./state/drafts";
import { mayWrite } from "./state/groups";
import { inspect } from "./state/inspected";
import { keyOfMessage } from "./state/key";
import { recalled } from "./state/events";
import { rulesOf } from "./state/organizations";
import { parts } from "./state/parts";
import { nameOf } from "./state/people";

/** Acts is the menu of a message. */
export function Acts(props: { message: Message; own: boolean; sealed: boolean; opener: { current: (() => void) | null } }) {
  const { message, own, sealed } = props;
  const [open, setOpen] = useState<"forward" | "recall">();
  const close = () => setOpen(undefined);
  return (
    <div class="acts">
      <Menu
        label={text("messageActs")}
        choices={() => choicesFor(message, own, sealed, setOpen)}
        opener={props.opener}
        skipped
      >
        <Icon name="more" />
      </Menu>
      {open === "forward" && <Forward message={message} onClose={close} />}
      {open === "recall" && (
        <Confirm
          title={text("recallTitle")}
          act={text("recall")}
          danger
          onConfirm={async () => {
            await client.recallMessage(message.message_id);
            recalled(message.message_id);
          }}
          onClose={close}
        >
          <p>{text("recallHint")}</p>
        </Confirm>
      )}
    </div>
  );
}

/** choicesFor are what one may do with a message now. */
function choicesFor(message: Message, own: boolean, sealed: boolean, ask: (act: "forward" | "recall") => void): Choice[] {
  const { body } = message;
  const conversation = conversations.value.get(keyOfMessage(message));
  const shown = !message.is_recalled && !sealed;
  const choices: Choice[] = [];
  if (shown && body && conversation && mayWrite(conversation)) {
    choices.push({ label: text("reply"), icon: "reply", onChoose: () => quote(message) });
  }
  if (shown && body) {
    choices.push({
      label: text("copy"),
      icon: "copy",
      onChoose: () => void navigator.clipboard.writeText(body).then(() => toast(text("copied"))),
    });
  }
  if (shown && rulesOf(message.recipient_organization).forward) {
    choices.push({ label: text("forward"), icon: "forward", onChoose: () => ask("forward") });
  }
  choices.push({ label: text("info"), icon: "info", onChoose: () => inspect(message.message_id) });
  if (own && !message.is_recalled) {
    choices.push({ label: text("recall"), icon: "recall", danger: true, onChoose: () => ask("recall") });
  }
  return choices;
}

const quoted = 5; // lines

/** quote puts a message into the draft, to be answered. */
function quote(message: Message): void {
  const key = keyOfMessage(message);
  const lines = (message.body ?? "").replace(/^(>.*\n)+\n*/, "").split("\n");
  const some = lines.length > quoted ? [...lines.slice(0, quoted), "…"] : lines;
  const name = nameOf(message.sender_token);
  const said = (name === undefined ? some : [`${name}:`, ...some]).map((line) => `> ${line}`).join("\n");
  write(key, { body: `${said}\n\n${draftOf(key).body}` });
  requestAnimationFrame(() => parts.composer?.focus(true)); // once the field holds it
}
