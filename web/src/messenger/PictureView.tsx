import { useEffect, useRef, useState } from "preact/hooks";
import type { Message } from "../client/index";
import { Dialog } from "../kit/Dialog";
import { Icon, type IconName } from "../kit/Icon";
import { moment } from "../text/format";
import { text } from "../text/text";
import { addressOf } from "./state/attachments";
import { keyOfMessage } from "./state/key";
import { nameOf, need } from "./state/people";
import { needPicture, pictures, picturesIn } from "./state/pictures";
import { useZoom } from "./useZoom";

/** PictureView shows the pictures of a conversation one at a time, each in the whole window, beginning with a message's. */
export function PictureView({ message, onClose }: { message: Message; onClose: () => void }) {
  const [id, setId] = useState(message.message_id);
  const all = picturesIn(keyOfMessage(message));
  const at = all.findIndex((one) => one.message_id === id);
  const shown = all[at];
  const address = pictures.value.get(id);
  const go = (by: number) => {
    const next = all[at + by];
    if (next) setId(next.message_id);
  };
  const zoom = useZoom(id, go);
  useEffect(() => {
    if (!shown) return onClose(); // it was taken back, or is over
    need(shown.sender_token, shown.sender_organization);
    for (const one of [shown, all[at + 1], all[at - 1]]) if (one) needPicture(one);
  }, [shown, address]);
  const keys = useRef<(event: KeyboardEvent) => void>(undefined);
  keys.current = (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { key } = event;
    if (key === "PageDown" || key === "PageUp") go(key === "PageDown" ? 1 : -1);
    else if (!zoom.press(key)) return;
    event.preventDefault();
  };
  useEffect(() => {
    const press = (event: KeyboardEvent) => keys.current?.(event);
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  if (!shown) return null;
  const { name = "" } = shown.attachments?.[0] ?? {};
  const sender = nameOf(shown.sender_token) ?? text("somebody");
  return (
    <Dialog title={text("picture.from", { name: sender })} size="whole" onClose={onClose}>
      <figure class="view">
        <div ref={zoom.stage} class={zoom.look.scale > 1 ? "stage zoomed" : "stage"} {...zoom.handlers}>
          {address ? (
            <img ref={zoom.image} src={address} alt={name} dir="auto" draggable={false} style={zoom.style} />
          ) : (
            <p role="status">{text(address === "" ? "picture.lost" : "loading")}</p>
          )}
        </div>
        <figcaption>
          <bdi>{name}</bdi>
          <small>
            <bdi>{sender}</bdi> · <time dateTime={shown.created_time}>{moment(shown.created_time)}</time>
            {all.length > 1 && ` · ${text("picture.of", { n: at + 1, of: all.length })}`}
          </small>
        </figcaption>
      </figure>
      <footer>
        <Act icon="back" label={text("picture.previous")} off={at === 0} onClick={() => go(-1)} />
        <Act icon="next" label={text("nextPicture")} off={at === all.length - 1} onClick={() => go(1)} />
        <Act icon="minus" label={text("zoomOut")} off={zoom.look.scale === 1} onClick={() => zoom.by(1 / 1.5)} />
        <Act icon="add" label={text("zoomIn")} onClick={() => zoom.by(1.5)} />
        <a class="button icon" href={addressOf(shown)} download={name} aria-label={text("download")} title={text("download")}>
          <Icon name="download" />
        </a>
      </footer>
    </Dialog>
  );
}

/** Act is one of the buttons. One that does nothing now keeps its place, and the focus. */
function Act(props: { icon: IconName; label: string; off?: boolean; onClick: () => void }) {
  return (
    <button
      type="button" class="icon" aria-label={props.label} title={props.label} aria-disabled={props.off ?? false}
      onClick={props.onClick}
    >
      <Icon name={props.icon} />
    </button>
  );
}
