import { useState } from "preact/hooks";
import { text } from "../text/text";

/** Composer takes a message: Enter sends, Shift-Enter makes a line. */
export function Composer({ onSend }: { onSend: (body: string) => void }) {
  const [body, setBody] = useState("");
  const send = () => {
    if (body.trim() === "") return;
    onSend(body.trim());
    setBody("");
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        rows={Math.min(6, body.split("\n").length)}
        aria-label={text("message")}
        placeholder={text("message")}
        value={body}
        onInput={(event) => setBody(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <button type="submit" class="primary">{text("send")}</button>
    </form>
  );
}
