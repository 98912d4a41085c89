import { useState } from "preact/hooks";
import type { Schemas } from "../client/index";
import { Confirm } from "../kit/Confirm";
import { Moment } from "../kit/Moment";
import { client } from "../kit/state/session";
import { Table } from "../kit/Table";
import { toast } from "../kit/Toasts";
import { text } from "../text/text";

type Passkey = Schemas["Passkey"];

/** PersonPasskeys are those with which a person signs in. One that is lost is removed, and another one is allowed. */
export function PersonPasskeys({ account, name, mayAllow }: { account: string; name: string; mayAllow: boolean }) {
  const [version, setVersion] = useState(0);
  const [asked, setAsked] = useState<Passkey | "allow">();
  const close = () => setAsked(undefined);
  return (
    <>
      <h2>{text("passkey.all")}</h2>
      <Table<Passkey>
        label={text("passkey.all")}
        empty={text("console.noPasskeys")}
        on={[account, version]}
        keyOf={({ passkey }) => passkey}
        load={async () => ({ results: await client.getPasskeys(account), metadata: {} })}
        columns={columns()}
        acts={(passkey) => (
          <button type="button" class="danger" onClick={() => setAsked(passkey)}>{text("passkey.remove")}</button>
        )}
      >
        {mayAllow && (
          <button type="button" onClick={() => setAsked("allow")}>{text("console.allowPasskey")}</button>
        )}
      </Table>
      {asked === "allow" && (
        <Confirm
          title={text("console.allowPasskey")}
          act={text("console.allowPasskey")}
          onClose={close}
          onConfirm={async () => {
            await client.allowPasskey(account);
            toast(text("console.passkeyAllowed", { name }));
          }}
        >
          <p>{text("console.allowPasskeyWhy", { name })}</p>
        </Confirm>
      )}
      {asked && asked !== "allow" && (
        <Confirm
          title={text("passkey.remove")}
          act={text("passkey.remove")}
          danger
          onClose={close}
          onConfirm={async () => {
            await client.deletePasskey(account, asked.passkey);
            setVersion((before) => before + 1);
          }}
        >
          <p>{text("passkey.removeWhy", { name: asked.label ?? text("passkey.nameless") })}</p>
        </Confirm>
      )}
    </>
  );
}

function columns() {
  return [
    { title: text("console.label"), value: ({ label }: Passkey) => label ?? "" },
    {
      title: text("console.made"),
      value: ({ created_time: at }: Passkey) => at,
      show: ({ created_time: at }: Passkey) => <Moment at={at} />,
    },
    {
      title: text("console.lastUsed"),
      value: ({ last_used_time: at }: Passkey) => at ?? "",
      show: ({ last_used_time: at }: Passkey) => <Moment at={at} none={text("console.never")} />,
    },
    {
      title: text("console.passkeySynced"),
      value: ({ synced }: Passkey) => text(synced ? "console.yes" : "console.no"),
    },
  ];
}
