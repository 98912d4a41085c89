import { useEffect, useState } from "preact/hooks";
import type { Schemas } from "../client/index";
import { client } from "../kit/state/session";
import { useBusy } from "../kit/useBusy";
import { useRefusal } from "../kit/useRefusal";
import { text } from "../text/text";

type Provider = Schemas["Identity"];
type Result = Schemas["IdentityTest"];

/** Under what the tab keeps which test it has begun, while it is at the provider. */
const kept = "signet-identity-test";

interface Of {
  organization: string;
  provider: Provider;
  /** The account of who tries may have come by the provider now. */
  onDone: () => void;
}

/** IdentityTest has an administrator sign in with the provider on trial, and says what came of it. */
export function IdentityTest({ organization, provider, onDone }: Of) {
  const [result, setResult] = useState<Result | undefined>();
  const [problem, refuse] = useRefusal();
  const { busy, run } = useBusy();
  useEffect(() => {
    const [of, test] = (sessionStorage.getItem(kept) ?? "").split(" ");
    if (of !== organization || !test) return;
    sessionStorage.removeItem(kept);
    client.getIdentityTest(organization, test).then((found) => {
      setResult(found);
      if (found.state === "passed") onDone();
    }, refuse);
  }, [organization]);
  const begin = async () => {
    try {
      const { test, url } = await client.testIdentity(organization, { return: location.pathname });
      sessionStorage.setItem(kept, `${organization} ${test}`);
      location.assign(url);
    } catch (error) {
      refuse(error);
    }
  };
  return (
    <section>
      <h2>{text("console.identityTry")}</h2>
      <p>{text(provider.tried ? "console.identityTried" : "console.identityTryWhy")}</p>
      <p>
        <button type="button" aria-disabled={busy} onClick={() => void run(begin)}>{text("console.identityTest")}</button>
      </p>
      {problem && <p role="alert" class="problem">{problem}</p>}
      {result && <Came of={result} />}
    </section>
  );
}

/** Came is what came of a test: what the provider said, and to which account that leads. */
function Came({ of }: { of: Result }) {
  const said: readonly (readonly [string, string])[] = [
    [text("console.subject"), of.subject ?? ""],
    [text("console.email"), of.email ? `${of.email} (${text(of.email_verified ? "console.verified" : "console.notVerified")})` : ""],
    [text("console.usernameClaim"), of.username ?? ""],
    [text("console.displayName"), of.display_name ?? ""],
    [text("console.groups"), of.groups.join(", ")],
    [text("console.leadsTo"), outcome(of)],
  ];
  return (
    <div role="status">
      <p class={of.state === "failed" ? "problem" : undefined}>
        {text(({ passed: "console.testPassed", failed: "console.testFailed", waiting: "console.testWaiting" } as const)[of.state])}
      </p>
      {of.problem && <p dir="auto">{of.problem}</p>}
      <dl class="facts">
        {said.filter(([, value]) => value !== "").map(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name} of`} dir="auto">{value}</dd>])}
      </dl>
    </div>
  );
}

/** outcome says to which account a sign-in leads. */
function outcome({ outcome, administrator }: Result): string {
  if (!outcome) return "";
  const account = text(({ known: "console.leadsKnown", linked: "console.leadsLinked", made: "console.leadsMade" } as const)[outcome]);
  return administrator ? `${account} ${text("console.leadsAdministrator")}` : account;
}
