import { useEffect } from "preact/hooks";
import { describe } from "../kit/describe";
import { SignOut } from "../kit/SignOut";
import { client, resume } from "../kit/state/session";
import { toast } from "../kit/Toasts";
import { useBusy } from "../kit/useBusy";
import { useLoaded } from "../kit/useLoaded";
import { text } from "../text/text";

/** What the interface takes to ask for the roles in all of one's organizations: the token of none. */
const anywhere = "placeholder";

/** NoAccess is for people who are neither operators nor administrators. They can ask to become one. */
export function NoAccess() {
  const { value, problem, reload } = useLoaded(async () => {
    const [organizations, { roles }] = await Promise.all([client.getUserOrganizations("me"), client.getRoles("me", anywhere)]);
    const waiting = roles.filter(({ organization: { pending_roles } }) => pending_roles?.includes("admin"));
    return { organizations, pending: waiting.map(({ organization }) => organization.organization_id) };
  }, []);
  const { busy, run } = useBusy();
  useEffect(() => {
    // Somebody may have decided meanwhile.
    const look = () => {
      if (document.visibilityState !== "visible") return;
      void resume();
      reload();
    };
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  const ask = async (organization: string) => {
    try {
      const asked = await client.grantRole("me", organization, "admin");
      if (!asked) await resume(); // it was decided already
    } catch (error) {
      toast(describe(error), { danger: true });
    }
    reload();
  };
  return (
    <main class="plain">
      <h1>{text("consoleTitle")}</h1>
      <p>{text("console.noAccess")}</p>
      {problem && <p role="alert" class="problem">{problem}</p>}
      {value && value.organizations.length > 0 && (
        <section aria-label={text("console.organizations")}>
          <p>{text("console.askWhy")}</p>
          <ul class="asking">
            {value.organizations.map(({ token, name }) => (
              <li key={token}>
                <strong dir="auto">{name}</strong>
                {value.pending.includes(token) ? (
                  <span role="status">{text("console.askedForAdmin")}</span>
                ) : (
                  <button
                    type="button" aria-label={text("console.askForAdminIn", { name })} aria-disabled={busy}
                    onClick={() => void run(() => ask(token))}
                  >
                    {text("console.askForAdmin")}
                  </button>
                )}
              </li>
            ))}
          </ul>
        </section>
      )}
      <p>
        <a class="button" href="/">{text("console.messenger")}</a>{" "}
        <SignOut words />
      </p>
    </main>
  );
}
