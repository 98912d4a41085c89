import type { Message as Content } from "../client/index";
import { clock } from "../text/format";
import { text } from "../text/text";
import { Status } from "./Status";

/** Message shows one message: one's own at the right, with how far it got. */
export function Message({ message, own, sender }: { message: Content; own: boolean; sender: string | undefined }) {
  return (
    <li class={own ? "message own" : "message"}>
      {sender && <span class="sender">{sender}</span>}
      {message.is_recalled ? <em>{text("recalled")}</em> : <span class="body">{message.body}</span>}
      {message.attachments?.map((file) => (
        <span class="file" key={file.name}>
          {file.name}
        </span>
      ))}
      <span class="meta">
        {message.priority === 1 && <strong class="priority">{text("priority")}</strong>}
        <time dateTime={message.created_time}>{clock(message.created_time)}</time>
        {own && <Status of={message.status} />}
      </span>
    </li>
  );
}
