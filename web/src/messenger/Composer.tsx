import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Conversation } from "../client/index";
import { isComposing } from "../kit/composing";
import { Icon } from "../kit/Icon";
import { session } from "../kit/state/session";
import { usePassing } from "../kit/usePassing";
import { size } from "../text/format";
import { text } from "../text/text";
import { EscalateBy } from "./later";
import { Lifetime } from "./Lifetime";
import { Answering } from "./Original";
import { type Draft, draftOf, drafts, write } from "./state/drafts";
import { keyOf } from "./state/key";
import { rulesOf } from "./state/organizations";
import { originalOf } from "./state/originals";
import { send } from "./state/outbox";
import { parts, show } from "./state/parts";
import { rest, type } from "./state/typing";

/**
 * Composer takes a message: Enter sends, Shift-Enter makes a line. Files come by the button, pasted, or dropped on the
 * conversation.
 */
export function Composer({ conversation }: { conversation: Conversation }) {
  const { entity, organization_id: organization } = conversation;
  const key = keyOf(organization, entity.token);
  const rules = rulesOf(organization);
  const draft: Draft = drafts.value.get(key) ?? { body: "" };
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = usePassing();
  const dor = draft.dor ?? rules.dor;

  useEffect(() => {
    // Whoever types what to search for while the page comes up goes on there.
    if (!parts.search?.hasFocus() && matchMedia("(pointer: fine)").matches) field.current?.focus({ preventScroll: true });
    return () => rest(conversation, false);
  }, []);
  const attach = (files: Iterable<File>) => {
    const some = [...files];
    if (some.length === 0) return;
    if (!rulesOf(organization).attachments) return setProblem(text("attachmentsOff"));
    const limit = session.value?.limits.attachment_bytes ?? Infinity;
    const large = some.filter((file) => file.size > limit);
    setProblem(large.map(({ name, size: n }) => text("fileTooLarge", { name, limit: size(limit), size: size(n) })).join(" "));
    const fit = some.filter((file) => file.size <= limit);
    if (fit.length > 0) write(key, { files: [...(draftOf(key).files ?? []), ...fit] });
    field.current?.focus();
  };
  const remove = (file: File) => {
    const rest = (draftOf(key).files ?? []).filter((one) => one !== file);
    write(key, { files: rest.length > 0 ? rest : undefined });
    field.current?.focus(); // the button that had it is gone
  };
  useLayoutEffect(() => show("composer", {
    focus: (atEnd = false) => {
      field.current?.focus();
      if (atEnd) field.current?.setSelectionRange(field.current.value.length, field.current.value.length);
    },
    attach,
  }), []);
  const forgo = () => {
    write(key, { reply: undefined });
    field.current?.focus();
  };
  const submit = () => {
    const { body, files = [], reply, ttl, dor: chosen, priority, escalate } = draftOf(key);
    const words = body.trim();
    if (words === "" && files.length === 0) return;
    const limit = session.value?.limits.message_bytes ?? Infinity;
    if (new TextEncoder().encode(words).length > limit) return setProblem(text("bodyTooLong", { limit: size(limit) }), true);
    setProblem("");
    write(key, { body: "", files: undefined, reply: undefined, ttl: undefined, dor: undefined, priority: undefined, escalate: undefined });
    rest(conversation, true);
    const letter = {
      recipient: entity.token, organization, body: words,
      ...(chosen === undefined ? {} : { dor: chosen }),
      ...(ttl === undefined ? {} : { ttl }), ...(priority === undefined ? {} : { priority, ...(escalate === undefined ? {} : { escalate }) }),
    };
    // What is known to be gone can't be answered.
    send(reply !== undefined && originalOf(key, reply) !== null ? { ...letter, reply } : letter, files[0]);
    for (const file of files.slice(1)) send({ ...letter, body: "" }, file);
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
      {draft.reply && <Answering id={draft.reply} at={conversation} onRemove={forgo} />}
      {draft.files && <Attached files={draft.files} onRemove={remove} />}
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
              setProblem(""); // it was about what one has changed now
              write(key, { body: event.currentTarget.value });
              if (event.currentTarget.value) type(conversation);
              else rest(conversation, false);
            }}
            onPaste={(event) => {
              // Cells of a spreadsheet come as a text, and as a picture of it.
              const { clipboardData: data } = event;
              if (!data || data.files.length === 0 || data.getData("text/plain") !== "") return;
              event.preventDefault();
              attach(data.files);
            }}
            onKeyDown={(event) => {
              if (isComposing(event)) return;
              if (event.key === "Escape" && draft.reply) {
                forgo();
                return event.preventDefault();
              }
              if (event.key === "ArrowUp" && !event.altKey && event.currentTarget.value === "") {
                parts.history?.focus();
                return event.preventDefault();
              }
              if (event.key !== "Enter" || event.shiftKey) return;
              event.preventDefault();
              submit();
            }}
          />
        </div>
        <div class="tools">
          <input
            ref={picker}
            type="file"
            multiple
            class="unseen"
            tabIndex={-1}
            aria-hidden="true"
            onChange={(event) => {
              attach(event.currentTarget.files ?? []);
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
          {draft.priority && rules.forward && (
            <EscalateBy organization={organization} value={draft.escalate} onChange={(escalate) => write(key, { escalate })} />
          )}
          <button type="submit" class="primary send" aria-label={text("send")} title={text("send")}>
            <Icon name="send" />
          </button>
        </div>
      </div>
    </form>
  );
}

/** Attached are the files that wait for the message to be sent, each to be taken away again. */
function Attached({ files, onRemove }: { files: readonly File[]; onRemove: (file: File) => void }) {
  return (
    <ul class="attached" aria-label={text("attached")}>
      {files.map((file, i) => (
        <li class="file" key={`${file.name} ${i}`}>
          <Icon name="file" />
          <span>
            <bdi>{file.name}</bdi>
            <small>{size(file.size)}</small>
          </span>
          <button
            type="button" class="icon" aria-label={text("removeThisFile", { name: file.name })}
            title={text("removeFile")} onClick={() => onRemove(file)}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
      {files.length > 1 && <li class="muted">{text("oneMessageEach", { n: files.length })}</li>}
    </ul>
  );
}
