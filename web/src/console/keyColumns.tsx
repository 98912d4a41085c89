import type { Schemas } from "../client/index";
import { Moment } from "../kit/Moment";
import { text } from "../text/text";

export type Key = Schemas["ListedKey"];

/** signedIn tells whether somebody got a key by signing in, with a browser or with an application that names its device. */
export function signedIn(key: Key): boolean {
  return key.session === true || key.device !== undefined;
}

/** nameOf is what people call a key. */
export function nameOf(key: Key): string {
  return key.label || key.device || (key.session ? text("console.session") : key.api_key);
}

function kindOf(key: Key): string {
  if (signedIn(key)) return text("console.session");
  return text(key.kind === "administrative" ? "console.administrative" : "console.regular");
}

const lastUse = {
  value: (key: Key) => key.last_used_time ?? "",
  show: (key: Key) => (
    <>
      <Moment at={key.last_used_time} none={text("console.never")} />
      {key.last_used_address && <small>{key.last_used_address}</small>}
    </>
  ),
};

/** keyColumns are what is told of a key wherever keys are listed. */
export function keyColumns() {
  return [
    {
      title: text("console.key"),
      value: (key: Key) => nameOf(key),
      show: (key: Key) => (
        <>
          {nameOf(key) !== key.api_key && <strong dir="auto">{nameOf(key)}</strong>}
          <small><code>{key.api_key}</code></small>
        </>
      ),
    },
    { title: text("console.kind"), value: kindOf },
    { title: text("console.lastUsed"), ...lastUse },
    {
      title: text("console.ends"),
      value: (key: Key) => key.expires_time ?? "",
      show: (key: Key) => <Moment at={key.expires_time} to="day" none={text("console.never")} />,
    },
    {
      title: text("console.scope"),
      value: (key: Key) => (key.organization ? text("console.thisOrganization") : text("console.everywhere")),
    },
    { title: text("console.networks"), value: (key: Key) => key.allowed_networks?.join(" ") ?? "" },
  ];
}

/** deviceColumns are what is told of a device on which somebody has signed in. */
export function deviceColumns() {
  return [
    { title: text("console.device"), value: nameOf },
    { title: text("console.from"), value: (key: Key) => key.last_used_address ?? "" },
    {
      title: text("console.lastUsed"),
      value: lastUse.value,
      show: (key: Key) => <Moment at={key.last_used_time} none={text("console.never")} />,
    },
    {
      title: text("console.signedInAt"),
      value: (key: Key) => key.created_time,
      show: (key: Key) => <Moment at={key.created_time} />,
    },
  ];
}
