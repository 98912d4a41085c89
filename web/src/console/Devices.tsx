import { useState } from "preact/hooks";
import { SignetError } from "../client/index";
import { Confirm } from "../kit/Confirm";
import { client, session } from "../kit/state/session";
import { Table } from "../kit/Table";
import { toast } from "../kit/Toasts";
import { text } from "../text/text";
import { useKeyActs } from "./KeyActs";
import { deviceColumns, type Key, signedIn } from "./keyColumns";

/** Devices are where a person has signed in. */
export function Devices(props: { account: string; name: string; keys: readonly Key[]; onChange: () => void }) {
  const { account, keys, onChange } = props;
  const [ending, setEnding] = useState(false);
  const { acts, dialog } = useKeyActs(onChange);
  const devices = keys.filter(signedIn);
  const self = account === session.value?.account.token;
  const endAll = async () => {
    // Without the session that asks: the others could not be ended any more.
    const own = self ? (await client.getKeys("me")).find(({ current }) => current)?.api_key : undefined;
    try {
      for (const { api_key: key } of devices) if (key !== own) await client.revokeKey(account, key).catch(gone);
      toast(self ? text("console.done") : text("console.signedOutEverywhere", { name: props.name }));
    } finally {
      onChange();
    }
  };
  return (
    <>
      <h2>{text("devices")}</h2>
      <Table<Key>
        label={text("devices")}
        empty={text("console.noDevices")}
        on={[keys]}
        keyOf={(key) => key.api_key}
        load={async () => ({ results: devices, metadata: {} })}
        columns={deviceColumns()}
        acts={acts}
      >
        {devices.length > 0 && (
          <button type="button" class="danger" onClick={() => setEnding(true)}>{text("console.signOutEverywhere")}</button>
        )}
      </Table>
      {ending && (
        <Confirm
          title={text("console.signOutEverywhere")}
          act={text("console.signOutEverywhere")}
          danger
          onClose={() => setEnding(false)}
          onConfirm={endAll}
        >
          <p>{text(self ? "console.signOutOthersWhy" : "console.signOutEverywhereWhy", { name: props.name })}</p>
        </Confirm>
      )}
      {dialog}
    </>
  );
}

/** gone is for a device that was signed out meanwhile: that is what was asked for. */
function gone(error: unknown): void {
  if (!(error instanceof SignetError && error.status === 404)) throw error;
}
