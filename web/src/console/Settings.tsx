import { useState } from "preact/hooks";
import { client } from "../kit/state/session";
import { Table } from "../kit/Table";
import { text } from "../text/text";
import { Filter } from "./Filter";

/** Settings are those of the server as they are in force. They are changed where they were said, not here. */
export function Settings() {
  const [words, setWords] = useState("");
  return (
    <>
      <h1>{text("settings")}</h1>
      <p class="muted">{text("console.settingsHow")}</p>
      <Table
        label={text("settings")}
        empty={text("nothingFound")}
        on={[words]}
        keyOf={(one) => one.key}
        load={async () => {
          const { results } = await client.listSettings();
          return { results: results.filter((one) => one.key.includes(words.toLowerCase())), metadata: {} };
        }}
        columns={[
          { title: text("console.setting"), value: (one) => one.key, show: (one) => <code>{one.key}</code> },
          { title: text("console.value"), value: (one) => one.value },
          { title: text("console.source"), value: (one) => one.origin ?? one.source },
        ]}
      >
        <Filter label={text("console.filter")} onChange={setWords} />
      </Table>
    </>
  );
}
