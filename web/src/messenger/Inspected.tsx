import { useEffect, useRef } from "preact/hooks";
import type { Message } from "../client/index";
import { Icon } from "../kit/Icon";
import { text } from "../text/text";
import { MessageFacts } from "./MessageInfo";
import { inspected } from "./state/inspected";
import { parts } from "./state/parts";

/** Inspected shows the details of a message beside its conversation. It takes the focus, and gives it back. */
export function Inspected({ message }: { message: Message }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { message_id: id } = message;
  useEffect(() => heading.current?.focus(), [id]);
  const close = () => {
    inspected.value = undefined;
    parts.history?.focus(id);
  };
  return (
    <section
      class="inspected"
      aria-label={text("messageInfo")}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        close();
        event.preventDefault();
      }}
    >
      <header>
        <h3 ref={heading} tabIndex={-1}>
          {text("messageInfo")}
        </h3>
        <button type="button" class="icon" aria-label={text("close")} onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      <MessageFacts key={id} message={message} />
    </section>
  );
}
