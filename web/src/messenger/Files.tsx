import { useEffect, useState } from "preact/hooks";
import type { Conversation, Message } from "../client/index";
import { describe } from "../kit/describe";
import { Icon } from "../kit/Icon";
import { toast } from "../kit/Toasts";
import { useBusy } from "../kit/useBusy";
import { size, when } from "../text/format";
import { text } from "../text/text";
import { addressOf } from "./state/attachments";
import { back } from "./state/history";
import { keyOf } from "./state/key";
import { messages, older } from "./state/messages";
import { nameOf, need } from "./state/people";
import { isSealed } from "./state/seen";

const step = 20; // files that are shown at once
const pages = 5; // of messages, in which older ones are looked for at once

/** filesIn are the messages with a file, of those that are loaded, newest first. */
function filesIn(key: string): readonly Message[] {
  return (messages.value.get(key) ?? []).filter((one) => one.attachments?.length && !isSealed(one)).toReversed();
}

/** Files lists the files of a conversation, as far back as its messages are loaded. */
export function Files({ conversation: { entity, organization_id: organization } }: { conversation: Conversation }) {
  const key = keyOf(organization, entity.token);
  const files = filesIn(key);
  const [most, setMost] = useState(step);
  const { busy, run } = useBusy();
  const earlier = older.value.get(key) ?? false;
  const look = async () => {
    setMost(most + step);
    if (files.length >= most + step) return;
    try {
      for (let i = 0; i < pages && older.value.get(key) && filesIn(key).length < files.length + step; i++) {
        await back(entity.token, organization);
      }
    } catch (error) {
      toast(describe(error), { danger: true });
    }
  };
  return (
    <section class="files" aria-label={text("files")} aria-busy={busy}>
      <header>
        <h3>{text("files")}</h3>
      </header>
      {files.length === 0 && <p class="muted">{text(earlier ? "noFilesYet" : "noFiles")}</p>}
      <ul>
        {files.slice(0, most).map((message) => (
          <File key={message.message_id} message={message} organization={organization} />
        ))}
      </ul>
      {(earlier || files.length > most) && (
        <button type="button" aria-disabled={busy} onClick={() => void run(look)}>
          {text("olderFiles")}
        </button>
      )}
    </section>
  );
}

function File({ message, organization }: { message: Message; organization: string }) {
  useEffect(() => need(message.sender_token, organization), [message.sender_token]);
  const file = message.attachments?.[0];
  if (!file) return null;
  return (
    <li>
      <a class="file" href={addressOf(message)} download={file.name} title={text("downloadFile", { name: file.name })}>
        <Icon name="file" />
        <span>
          <bdi>{file.name}</bdi>
          <small>
            {size(file.size)} · <bdi>{nameOf(message.sender_token) ?? text("somebody")}</bdi> ·{" "}
            <time dateTime={message.created_time}>{when(message.created_time)}</time>
          </small>
        </span>
        <Icon name="download" />
      </a>
    </li>
  );
}
