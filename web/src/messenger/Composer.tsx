import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Conversation } from "../client/index";
import { Icon } from "../kit/Icon";
import { session } from "../kit/state/session";
import { size } from "../text/format";
import { text } from "../text/text";
import { Lifetime } from "./Lifetime";
import { type Draft, draftOf, drafts, write } from "./state/drafts";
import { keyOf } from "./state/key";
import { rulesOf } from "./state/organizations";
import { send } from "./state/outbox";
import { parts, show } from "./state/parts";
import { rest, type } from "./state/typing";

/** Composer takes a message: Enter sends, Shift-Enter makes a line. Files come by the button, pasted, or dropped on the conversation. */
export function Composer({ conversation }: { conversation: Conversation }) {
  const { entity, organization_id: organization } = conversation;
  const key = keyOf(organization, entity.token);
  const rules = rulesOf(organization);
  const draft: Draft = drafts.value.get(key) ?? { body: "" };
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState("");
  const dor = draft.dor ?? rules.dor;

  useEffect(() => {
    if (matchMedia("(pointer: fine)").matches) field.current?.focus({ preventScroll: true });
    return () => rest(conversation, false);
  }, []);
  const attach = (file: File | null | undefined) => {
    if (!file) return;
    if (!rulesOf(organization).attachments) return setProblem(text("attachmentsOff"));
    const limit = session.value?.limits.attachment_bytes ?? Infinity;
    if (file.size > limit) {
      return setProblem(text("fileTooLarge", { name: file.name, limit: size(limit), size: size(file.size) }));
    }
    setProblem("");
    write(key, { file });
    field.current?.focus();
  };
  useLayoutEffect(() => show("composer", {
    focus: (atEnd = false) => {
      field.current?.focus();
      if (atEnd) field.current?.setSelectionRange(field.current.value.length, field.current.value.length);
    },
    attach,
  }), []);
  const submit = () => {
    const { body, file, ttl, dor: chosen, priority } = draftOf(key);
    const words = body.trim();
    if (words === "" && !file) return;
    const limit = session.value?.limits.message_bytes ?? Infinity;
    if (new TextEncoder().encode(words).length > limit) return setProblem(text("bodyTooLong", { limit: size(limit) }));
    setProblem("");
    write(key, { body: "", file: undefined, ttl: undefined, dor: undefined, priority: undefined });
    rest(conversation, true);
    send(
      {
        recipient: entity.token, organization, body: words,
        ...(chosen === undefined ? {} : { dor: chosen }),
        ...(ttl === undefined ? {} : { ttl }), ...(priority === undefined ? {} : { priority }),
      },
      file,
    );
    field.current?.focus();
  };
  return (
    <form
      class={draft.priority ? "composer urgent" : "composer"}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {problem && (
        <p role="alert" class="problem">
          {problem}
        </p>
      )}
      {draft.file && (
        <p class="file">
          <Icon name="file" />
          <span>
            <bdi>{draft.file.name}</bdi>
            <small>{size(draft.file.size)}</small>
          </span>
          <button type="button" class="icon" aria-label={text("removeFile")} onClick={() => write(key, { file: undefined })}>
            <Icon name="close" />
          </button>
        </p>
      )}
      <div class="sheet">
        <div class="words" data-body={draft.body}>
          <textarea
            ref={field}
            rows={1}
            dir="auto"
            aria-label={text("message")}
            placeholder={text("message")}
            value={draft.body}
            onInput={(event) => {
              write(key, { body: event.currentTarget.value });
              if (event.currentTarget.value) type(conversation);
              else rest(conversation, false);
            }}
            onPaste={(event) => {
              const file = event.clipboardData?.files[0];
              if (!file) return;
              event.preventDefault();
              attach(file);
            }}
            onKeyDown={(event) => {
              if (event.key === "ArrowUp" && !event.altKey && event.currentTarget.value === "") {
                parts.history?.focus();
                return event.preventDefault();
              }
              if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
              event.preventDefault();
              submit();
            }}
          />
        </div>
        <div class="tools">
          <input
            ref={picker}
            type="file"
            class="unseen"
            tabIndex={-1}
            aria-hidden="true"
            onChange={(event) => {
              attach(event.currentTarget.files?.[0]);
              event.currentTarget.value = "";
            }}
          />
          {rules.attachments && (
            <button type="button" class="icon" aria-label={text("attach")} title={text("attach")} onClick={() => picker.current?.click()}>
              <Icon name="attach" />
            </button>
          )}
          <Lifetime rules={rules} value={draft.ttl} onChange={(ttl) => write(key, { ttl })} />
          <button
            type="button"
            class="icon"
            aria-label={text("deletedOnRead")}
            title={text("deletedOnRead")}
            aria-pressed={dor}
            onClick={() => write(key, { dor: !dor === rules.dor ? undefined : !dor })}
          >
            <Icon name="flame" />
          </button>
          {rules.priority && (
            <button
              type="button"
              class="icon"
              aria-label={text("priority")}
              title={text("priority")}
              aria-pressed={draft.priority === 1}
              onClick={() => write(key, { priority: draft.priority ? undefined : 1 })}
            >
              <Icon name="priority" />
            </button>
          )}
          <button type="submit" class="primary send" aria-label={text("send")} title={text("send")}>
            <Icon name="send" />
          </button>
        </div>
      </div>
    </form>
  );
}
