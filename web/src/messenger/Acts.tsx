import { useState } from "preact/hooks";
import type { Message } from "../client/index";
import { Icon } from "../kit/Icon";
import { type Choice, Menu } from "../kit/Menu";
import { client } from "../kit/state/session";
import { toast } from "../kit/Toasts";
import { text } from "../text/text";
import { answer, mayAnswer } from "./answer";
import { Confirm, Forward } from "./later";
import { takenBack } from "./state/events";
import { inspect } from "./state/inspected";
import { rulesOf } from "./state/organizations";

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
          title={text("recall.title")}
          act={text("recall")}
          danger
          onConfirm={async () => {
            await client.recallMessage(message.message_id);
            takenBack(message.message_id);
          }}
          onClose={close}
        >
          <p>{text("recall.hint")}</p>
        </Confirm>
      )}
    </div>
  );
}

/** choicesFor are what one may do with a message now. */
function choicesFor(message: Message, own: boolean, sealed: boolean, ask: (act: "forward" | "recall") => void): Choice[] {
  const { body } = message;
  const shown = !message.is_recalled && !sealed;
  const choices: Choice[] = [];
  if (mayAnswer(message)) choices.push({ label: text("reply"), icon: "reply", onChoose: () => answer(message) });
  if (shown && body) {
    choices.push({
      label: text("copy"),
      icon: "copy",
      onChoose: () => void copy(body),
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

/** copy puts words into the clipboard, and says whether they are there: by plain HTTP a browser has none for pages. */
async function copy(words: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(words);
    toast(text("copied"));
  } catch {
    toast(text("copy.notDone"), { danger: true });
  }
}
