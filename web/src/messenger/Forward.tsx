import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Message } from "../client/index";
import { describe } from "../kit/describe";
import { Dialog } from "../kit/Dialog";
import { Icon } from "../kit/Icon";
import { client } from "../kit/state/session";
import { toast } from "../kit/Toasts";
import { useBusy } from "../kit/useBusy";
import { text } from "../text/text";
import { preview } from "./preview";
import { RecipientChooser } from "./RecipientChooser";
import { besides } from "./state/beside";
import { note } from "./state/conversations";
import { add } from "./state/messages";
import { rulesOf } from "./state/organizations";
import { send } from "./state/outbox";
import { nameOf } from "./state/people";
import type { Found } from "./state/search";

const most = 10; // recipients at once

/** What becomes of the same message for the same recipient, however often it is tried. */
type Tries = Map<string, string>;

/** Forward sends a message on: one chooses to whom, looks at what goes to whom, and sends. */
export function Forward({ message, onClose }: { message: Message; onClose: () => void }) {
  const organization = message.recipient_organization;
  const [chosen, setChosen] = useState<readonly Found[]>([]);
  const [looking, setLooking] = useState(false);
  const [word, setWord] = useState("");
  const [urgent, setUrgent] = useState(message.priority > 0);
  const [problem, setProblem] = useState("");
  const [tries] = useState<Tries>(() => new Map());
  const { busy, run } = useBusy();
  const rules = rulesOf(organization);
  const field = useId();
  const shown = useRef(true);
  useEffect(() => () => void (shown.current = false), []);

  const forward = async () => {
    setProblem("");
    const priority = rules.priority && urgent ? 1 : 0;
    let left = chosen;
    for (const one of chosen) {
      const { entity } = one;
      // Another priority is another request.
      const as = `${entity.token} ${priority}`;
      const id = tries.get(as) ?? crypto.randomUUID();
      tries.set(as, id);
      try {
        const to = { recipient: entity.token, sender_organization: organization, priority } as const;
        const sent = await client.forwardMessage(message.message_id, to, { request_id: id, response_format: "message" });
        if (sent.message) {
          add(sent.message);
          note(sent.message);
        }
        if (word.trim() !== "") send({ recipient: entity.token, organization, body: word.trim() });
      } catch (error) {
        setChosen(left);
        const why = text("forward.notDone", { name: entity.display_name, why: describe(error) });
        return shown.current ? setProblem(why) : toast(why, { danger: true });
      }
      left = left.filter((other) => other !== one);
    }
    const [only] = chosen;
    toast(chosen.length === 1 && only ? text("forward.done", { name: only.entity.display_name }) : text("forward.doneMany", { n: chosen.length }));
    onClose();
  };
  if (!looking) {
    return (
      <Dialog key="choose" title={text("forward.to")} onClose={onClose}>
        <RecipientChooser organization={organization} chosen={chosen} onChange={setChosen} most={most} />
        <footer>
          <button type="button" onClick={onClose}>
            {text("cancel")}
          </button>
          <button type="button" class="primary" disabled={chosen.length === 0} onClick={() => setLooking(true)}>
            {text("continue")}
          </button>
        </footer>
      </Dialog>
    );
  }
  const beside = besides(chosen.flatMap(({ entity }) => ("num_members" in entity ? [] : [entity])));
  return (
    <Dialog key="look" title={text("forward.look")} onClose={onClose}>
      <dl class="facts">
        <dt>{text("recipients")}</dt>
        <dd>
          <ul data-made aria-label={text("recipients")}>
            {chosen.map(({ entity }) => (
              <li key={entity.token}>
                <bdi>{entity.display_name}</bdi>
                <small dir="auto">{"num_members" in entity ? text("people", { n: entity.num_members }) : beside(entity)}</small>
              </li>
            ))}
          </ul>
        </dd>
        <dt>{text("message")}</dt>
        <dd class="forwarding">
          <bdi class="by">{nameOf(message.original_sender ?? message.sender_token) ?? text("somebody")}</bdi>
          {message.attachments?.[0] && !message.dor && (
            <span class="file">
              <Icon name="file" />
              <bdi>{message.attachments[0].name}</bdi>
            </span>
          )}
          {(message.body || message.dor) && <p dir="auto">{message.dor ? preview(message) : message.body}</p>}
        </dd>
      </dl>
      <p class="field">
        <label for={field}>{text("forward.word")}</label>
        <textarea
          id={field}
          rows={2}
          dir="auto"
          value={word}
          aria-describedby={`${field}-hint`}
          onInput={(event) => setWord(event.currentTarget.value)}
        />
        <small id={`${field}-hint`}>{text("forward.wordHint")}</small>
      </p>
      {rules.priority && (
        <label class="check">
          <input type="checkbox" checked={urgent} onChange={(event) => setUrgent(event.currentTarget.checked)} />
          {text("priority")}
        </label>
      )}
      {problem && (
        <p role="alert" class="problem">
          {problem}
        </p>
      )}
      <footer>
        <button type="button" aria-disabled={busy} onClick={() => busy || setLooking(false)}>
          {text("back")}
        </button>
        <button type="button" class="primary" aria-disabled={busy} onClick={() => void run(forward)}>
          {text("send")}
        </button>
      </footer>
    </Dialog>
  );
}
