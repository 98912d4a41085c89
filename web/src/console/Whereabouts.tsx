import { useEffect } from "preact/hooks";
import { Link } from "../kit/Link";
import { go } from "../kit/state/route";
import { client } from "../kit/state/session";
import { useLoaded } from "../kit/useLoaded";
import { text } from "../text/text";
import { addressOf } from "./PersonLink";

/** Whereabouts leads to a person whose organization a list of the installation did not tell. */
export function Whereabouts({ account }: { account: string }) {
  const { value, problem } = useLoaded(() => client.getUserOrganizations(account), [account]);
  const first = value?.[0]?.token;
  useEffect(() => {
    if (first) go(addressOf(account, first), { replace: true });
  }, [first]);
  if (problem) return <p role="alert" class="problem">{problem}</p>;
  if (!value || first) return <p class="empty wait">{text("loading")}</p>;
  return (
    <>
      <h1>{text("console.nowhere")}</h1>
      <p>{text("console.nowhereWhy")}</p>
      <p><code>{account}</code></p>
      <p><Link to="/console/organizations">{text("console.organizations")}</Link></p>
    </>
  );
}
