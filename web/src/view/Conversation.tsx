import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Conversation as Entry } from "../client/index";
import { choose, read } from "../state/conversations";
import { back, messages, older, open } from "../state/messages";
import { again, outbox, send } from "../state/outbox";
import { session } from "../state/session";
import { text } from "../text/text";
import { Avatar } from "./Avatar";
import { Composer } from "./Composer";
import { Icon } from "./Icon";
import { Message } from "./Message";
import { Status } from "./Status";

/** Conversation shows the messages of one, and what is being sent to it. */
export function Conversation({ conversation }: { conversation: Entry }) {
  const { entity, organization_id: organization } = conversation;
  const list = messages.value.get(entity.token) ?? [];
  const waiting = outbox.value.filter((letter) => letter.recipient === entity.token);
  const me = session.value?.account.token;
  const end = useRef<HTMLDivElement>(null);

  useEffect(() => {
    void open(entity.token, organization).then(() => read(entity.token));
  }, [entity.token]);
  const last = list.at(-1)?.message_id;
  useLayoutEffect(() => end.current?.scrollIntoView({ block: "end" }), [entity.token, last, waiting.length]);

  return (
    <section class="conversation" aria-label={entity.display_name}>
      <header>
        <button type="button" class="icon back" aria-label={text("back")} onClick={() => choose(undefined)}>
          <Icon name="back" />
        </button>
        <Avatar name={entity.display_name} token={entity.token} />
        <h2>{entity.display_name}</h2>
      </header>
      <div
        class="scroll"
        onScroll={(event) => {
          if (event.currentTarget.scrollTop < 400 && older.value.get(entity.token)) void back(entity.token, organization);
        }}
      >
        <ol aria-live="polite">
          {list.map((message) => (
            <Message
              key={message.message_id}
              message={message}
              own={message.sender_token === me}
              sender={undefined}
            />
          ))}
          {waiting.map((letter) => (
            <li class="message own waiting" key={letter.id}>
              <span class="body">{letter.body}</span>
              {letter.refused === undefined ? (
                <span class="meta">
                  <Status of="sending" />
                </span>
              ) : (
                <span class="meta refused">
                  {text("failed", { why: letter.refused })}{" "}
                  <button type="button" onClick={() => again(letter.id)}>
                    {text("sendAgain")}
                  </button>
                </span>
              )}
            </li>
          ))}
        </ol>
        <div ref={end} />
      </div>
      <Composer key={entity.token} onSend={(body) => send({ recipient: entity.token, organization, body })} />
    </section>
  );
}
