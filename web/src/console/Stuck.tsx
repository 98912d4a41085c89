import { useState } from "preact/hooks";
import { Select } from "../kit/Select";
import { text } from "../text/text";
import { type Minutes, Queues } from "./Queues";
import type { OfOrganization } from "./tab";
import { Undelivered } from "./Undelivered";

/** Stuck shows queues that nobody reads and, of an organization, messages that have not arrived. */
export function Stuck({ organization }: Partial<OfOrganization>) {
  const [minutes, setMinutes] = useState<Minutes>("15");
  const org = organization?.token;
  return (
    <>
      {!organization && <h1>{text("console.stuck")}</h1>}
      <h2>{text("console.unreadQueues")}</h2>
      <p class="muted">{text("console.queuesWhy")}</p>
      <Queues organization={org} minutes={minutes}>
        <Select<Minutes>
          label={text("console.olderThan")}
          value={minutes}
          onChange={setMinutes}
          options={{
            0: text("console.anyAge"), 15: text("console.minutes", { n: 15 }), 60: text("console.hours", { n: 1 }), 1440: text("console.days", { n: 1 }),
            10080: text("console.days", { n: 7 }),
          }}
        />
      </Queues>
      {org && (
        <>
          <h2>{text("console.undelivered")}</h2>
          <p class="muted">{text("console.undeliveredWhy")}</p>
          <Undelivered organization={org} minutes={Number(minutes) || 1} />
        </>
      )}
    </>
  );
}
