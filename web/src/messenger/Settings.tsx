import { useState } from "preact/hooks";
import { describe } from "../kit/describe";
import { Dialog } from "../kit/Dialog";
import { Field } from "../kit/Field";
import { Form } from "../kit/Form";
import { Icon } from "../kit/Icon";
import { Select } from "../kit/Select";
import { client, resume, session } from "../kit/state/session";
import { theme, type Theme } from "../kit/state/theme";
import { toast } from "../kit/Toasts";
import { useLoaded } from "../kit/useLoaded";
import { moment } from "../text/format";
import { choose, chosenLanguage, type Language, languages, text } from "../text/text";
import { HearingSettings } from "./HearingSettings";
import { choose as chooseNotices, notices, type Notices } from "./notices";
import { Passkeys } from "./Passkeys";
import { PictureChooser } from "./PictureChooser";
import { pushing } from "./push";
import { namesAreFixed } from "./state/organizations";

/** Settings are one's profile, password and devices, and how this device shows the pages. */
export function Settings({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const account = session.value?.account;
  const [picture, setPicture] = useState<File | "">(); // undefined: it stays
  const [, again] = useState(0);
  if (!account) return null;
  return (
    <Dialog title={text("settings")} onClose={onClose}>
      <div class="own">
        <Form
          act={text("save")}
          onSubmit={async (fields) => {
            const name = namesAreFixed.value ? null : String(fields.get("display_name")).trim();
            await client.updateUserSettings("me", {
              ...(name !== null && name !== account.display_name && { display_name: name }),
              status: String(fields.get("status")).trim(),
              dnd: fields.has("dnd"),
              ...(picture !== undefined && { avatar: picture }),
            });
            await resume();
            setPicture(undefined);
            toast(text("saved"));
          }}
        >
          <h3>{text("profile")}</h3>
          <PictureChooser of={account} value={picture} onChange={setPicture} />
          {namesAreFixed.value ? (
            <p class="field">
              <b dir="auto">{account.display_name}</b>
              <small>{text("nameFixed")}</small>
            </p>
          ) : (
            <Field label={text("displayName")} name="display_name" value={account.display_name} required />
          )}
          <Field label={text("statusText")} name="status" value={account.status} />
          <label class="check">
            <input type="checkbox" name="dnd" defaultChecked={account.dnd} />
            {text("doNotDisturbMe")}
          </label>
        </Form>
        <div class="pair">
          <Select<Language | "">
            label={text("language")}
            value={chosenLanguage() ?? ""}
            onChange={(tag) => void choose(tag || undefined)}
            options={{ "": text("asBrowser"), ...languages }}
          />
          <Select<Theme>
            label={text("theme")}
            value={theme.value}
            onChange={(to) => (theme.value = to)}
            options={{ system: text("asSystem"), light: text("light"), dark: text("dark") }}
          />
          <Select<Notices>
            label={text("notices")}
            value={notices.value}
            onChange={(to) => {
              void chooseNotices(to).then((allowed) => {
                if (allowed) return;
                again((n) => n + 1); // the choice shows again what is in force
                toast(text("notices.refused"), { danger: true });
              });
            }}
            options={{
              off: text("notices.off"), sign: text("notices.sign"), name: text("notices.name"), content: text("notices.content"),
            }}
          />
        </div>
        {notices.value !== "off" && pushing.value !== undefined && (
          <p><small>{text(pushing.value ? "notices.locked" : "notices.openOnly")}</small></p>
        )}
        <HearingSettings />
        <Form
          act={text("changePassword")}
          onSubmit={async (fields) => {
            const body = { old_password: String(fields.get("old_password")), password: String(fields.get("password")) };
            await client.setPassword("me", body);
            toast(text("passwordChanged"));
          }}
        >
          <h3>{text("password")}</h3>
          <Field label={text("oldPassword")} name="old_password" type="password" autocomplete="current-password" required />
          <Field label={text("newPassword")} name="password" type="password" autocomplete="new-password" required />
        </Form>
        <Passkeys />
        <Devices />
        <p>
          <button type="button" class="quiet" onClick={onHelp}>
            <Icon name="help" /> {text("help")}
          </button>
        </p>
      </div>
    </Dialog>
  );
}

/** Devices are where one is signed in; each can be signed out from here. */
function Devices() {
  const { value, problem, reload } = useLoaded(() => client.getKeys("me"), []);
  const end = (key: string) => {
    client.revokeKey("me", key).then(reload, (error: unknown) => toast(describe(error), { danger: true }));
  };
  return (
    <section aria-label={text("devices")}>
      <h3>{text("devices")}</h3>
      {problem && <p role="alert" class="problem">{problem}</p>}
      <ul class="devices">
        {value?.filter(({ device }) => device !== undefined).map((key) => (
          <li key={key.api_key}>
            <Icon name="device" />
            <span>
              <bdi>{key.device}</bdi> {key.current && <em>{text("thisDevice")}</em>}
              <small>
                <time>{moment(key.last_used_time ?? key.created_time)}</time> <bdi>{key.last_used_address}</bdi>
              </small>
            </span>
            {!key.current && (
              <button type="button" onClick={() => end(key.api_key)}>
                {text("signOutDevice")}
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
