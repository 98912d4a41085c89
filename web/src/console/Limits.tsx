import type { Schemas } from "../client/index";
import { Field } from "../kit/Field";
import { text } from "../text/text";

const names = { messages_per_day: "console.aDay", requests_per_second: "console.aSecond" } as const;

/** Limits are what an operator allows a key, in place of what the server allows all. */
export function Limits({ of: key }: { of?: Schemas["ListedKey"] }) {
  return (
    <div class="pair">
      {(["messages_per_day", "requests_per_second"] as const).map((name) => (
        <Field
          key={name}
          label={text(names[name])}
          name={name}
          optional
          value={String(key?.[name] ?? "")}
          inputMode="numeric"
          hint={text("console.limitHint")}
        />
      ))}
    </div>
  );
}
