import { useState } from "preact/hooks";
import { Dialog } from "../kit/Dialog";
import { Field } from "../kit/Field";
import { Icon } from "../kit/Icon";
import { session } from "../kit/state/session";
import { text } from "../text/text";
import { PeopleChooser } from "./PeopleChooser";
import { current } from "./state/conversations";
import { filter, type Filters, filters } from "./state/search";

/** SearchFilters narrow down which messages are looked for. */
export function SearchFilters() {
  const { conversation, sender, files, since, until } = filters.value;
  const open = current.value;
  const [choosing, setChoosing] = useState(false);
  const [dating, setDating] = useState(since !== undefined || until !== undefined);
  const change = (to: Partial<Record<keyof Filters, unknown>>) => {
    const all = Object.entries({ ...filters.value, ...to }).filter(([, value]) => value);
    filter(Object.fromEntries(all) as Filters);
  };
  const here = open && { token: open.entity.token, organization: open.organization_id, name: open.entity.display_name };
  return (
    <div class="chips" role="group" aria-label={text("filters")}>
      {(conversation ?? here) && (
        <Chip on={conversation !== undefined} onClick={() => change({ conversation: conversation ? undefined : here })}>
          {conversation ? text("inNamed", { name: conversation.name }) : text("inThis")}
        </Chip>
      )}
      <Chip on={sender !== undefined} onClick={() => (sender ? change({ sender: undefined }) : setChoosing(true))}>
        {sender ? text("fromNamed", { name: sender.name }) : text("fromSomebody")}
      </Chip>
      <Chip on={files === true} onClick={() => change({ files: !files })}>{text("withFiles")}</Chip>
      <Chip
        on={since !== undefined || until !== undefined}
        expanded={dating}
        onClick={() => {
          if (dating) change({ since: undefined, until: undefined });
          setDating(!dating);
        }}
      >
        {text("dates")}
      </Chip>
      {dating && (
        <div class="dates">
          <Field type="date" label={text("sinceDay")} value={since ?? ""} max={until ?? ""} onInput={(event) => change({ since: event.currentTarget.value })} />
          <Field type="date" label={text("untilDay")} value={until ?? ""} min={since ?? ""} onInput={(event) => change({ until: event.currentTarget.value })} />
        </div>
      )}
      {choosing && <Sender onClose={() => setChoosing(false)} onChoose={(one) => change({ sender: one })} />}
    </div>
  );
}

function Chip(props: { on: boolean; expanded?: boolean; onClick: () => void; children: string }) {
  return (
    <button
      type="button" class="chip" aria-pressed={props.expanded === undefined ? props.on : undefined}
      aria-expanded={props.expanded} data-on={props.on} onClick={props.onClick}
    >
      <bdi>{props.children}</bdi>
      {props.on && <Icon name="close" />}
    </button>
  );
}

/** Sender chooses whose messages are looked for. */
function Sender({ onClose, onChoose }: { onClose: () => void; onChoose: (one: Filters["sender"]) => void }) {
  const me = session.value?.account;
  const choose = (token: string, name: string) => {
    onChoose({ token, name });
    onClose();
  };
  return (
    <Dialog title={text("chooseSender")} onClose={onClose}>
      <div class="form">
        <PeopleChooser
          label={text("findPeople")}
          chosen={[]}
          onChange={([one]) => one && choose(one.entity.token, one.entity.display_name)}
        />
        {me && <p><button type="button" onClick={() => choose(me.token, text("you"))}>{text("fromYou")}</button></p>}
      </div>
    </Dialog>
  );
}
