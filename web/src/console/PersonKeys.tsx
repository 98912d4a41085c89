import { useState } from "preact/hooks";
import type { Schemas } from "../client/index";
import { Icon } from "../kit/Icon";
import { Table } from "../kit/Table";
import { text } from "../text/text";
import { useKeyActs } from "./KeyActs";
import { type Key, keyColumns, signedIn } from "./keyColumns";
import { NewKey } from "./NewKey";

/** PersonKeys are the keys with which programs act as a person. */
export function PersonKeys(props: {
  organization: Schemas["Organization"];
  account: string;
  keys: readonly Key[];
  mayCreate: boolean;
  onChange: () => void;
}) {
  const { organization, keys, onChange } = props;
  const [making, setMaking] = useState(false);
  const { acts, dialog } = useKeyActs(onChange);
  return (
    <>
      <h2>{text("console.programKeys")}</h2>
      <Table<Key>
        label={text("console.programKeys")}
        empty={text("console.noProgramKeys")}
        on={[keys]}
        keyOf={(key) => key.api_key}
        load={async () => ({ results: keys.filter((key) => !signedIn(key)), metadata: {} })}
        columns={keyColumns()}
        acts={acts}
      >
        {props.mayCreate && (
          <button type="button" onClick={() => setMaking(true)}>
            <Icon name="add" /> {text("console.newKey")}
          </button>
        )}
      </Table>
      {making && (
        <NewKey organization={organization} account={props.account} onMade={onChange} onClose={() => setMaking(false)} />
      )}
      {dialog}
    </>
  );
}
