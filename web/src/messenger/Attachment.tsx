import { useEffect, useState } from "preact/hooks";
import type { Message } from "../client/index";
import { Icon } from "../kit/Icon";
import { size } from "../text/format";
import { text } from "../text/text";
import { PictureView } from "./later";
import { addressOf } from "./state/attachments";
import { isPicture, needPicture, pictures } from "./state/pictures";

/** Attachment shows a message's file: a picture in place, anything else to be downloaded. */
export function Attachment({ message }: { message: Message }) {
  const file = message.attachments?.[0];
  if (!file) return null;
  const picture = isPicture({ type: file["content-type"], size: file.size });
  if (picture && pictures.value.get(message.message_id) !== "") return <Picture message={message} name={file.name} />;
  return (
    <a class="file" href={addressOf(message)} download={file.name}>
      <Icon name="file" />
      <span>
        <bdi>{file.name}</bdi>
        <small>{size(file.size)}</small>
      </span>
      <Icon name="download" />
    </a>
  );
}

function Picture({ message, name }: { message: Message; name: string }) {
  const [large, setLarge] = useState(false);
  const address = pictures.value.get(message.message_id);
  useEffect(() => needPicture(message), [address]);
  return (
    <>
      <button type="button" class="picture" aria-label={text("showPicture", { name })} onClick={() => setLarge(true)}>
        {address ? <img src={address} alt="" /> : <Icon name="image" />}
      </button>
      {large && address && <PictureView message={message} onClose={() => setLarge(false)} />}
    </>
  );
}
