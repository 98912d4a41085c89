import { useState } from "preact/hooks";
import type { Schemas } from "../client/index";
import { client, session } from "../kit/state/session";
import { toast } from "../kit/Toasts";
import { useBusy } from "../kit/useBusy";
import { useRefusal } from "../kit/useRefusal";
import { text, type Text } from "../text/text";

type Provider = Schemas["Identity"];

/** The switches of a provider: whether it signs people in, whether passwords do too, and whether everybody is shown it. */
const switches = { enabled: "console.identityOn", passwords: "console.identityPasswords", shown: "console.identityShown" } as const satisfies Record<string, Text>;

/** IdentityUse switches the provider on, and passwords off. */
export function IdentityUse(props: { organization: string; provider: Provider; onDone: () => void }) {
  const { organization, provider, onDone } = props;
  const [problem, refuse] = useRefusal();
  const { busy, run } = useBusy();
  /** What somebody has just asked for of a provider: it is shown until the provider is read anew. */
  const [asked, ask] = useState<{ of: Provider; name: keyof typeof switches; on: boolean }>();
  const isOn = (name: keyof typeof switches) => (asked?.of === provider && asked.name === name ? asked.on : provider[name]);
  const set = (name: keyof typeof switches, on: boolean) =>
    run(async () => {
      ask({ of: provider, name, on });
      try {
        await client.setIdentity(organization, { [name]: on });
        refuse(undefined);
        toast(text("saved"));
      } catch (error) {
        refuse(error);
        ask(undefined);
      }
      onDone();
    });
  const names = (Object.keys(switches) as (keyof typeof switches)[]).filter((name) => name !== "shown" || session.value?.operator);
  return (
    <section>
      <h2>{text("console.identityUse")}</h2>
      <p>{text("console.identityUseWhy")}</p>
      {names.map((name) => (
        <label class="check" key={name}>
          <input
            type="checkbox" checked={isOn(name)} aria-disabled={busy}
            onChange={(event) => void set(name, event.currentTarget.checked)}
          />
          {text(switches[name])}
        </label>
      ))}
      {!provider.passwords && !provider.passwords_off && <p class="notice">{text("console.identityUntried")}</p>}
      {problem && <p role="alert" class="problem">{problem}</p>}
    </section>
  );
}
