import { useEffect, useState } from "preact/hooks";
import type { Schemas } from "../client/index";
import { text } from "../text/text";
import { client } from "./state/session";

type Choice = Schemas["IdentityChoice"];

/** After which time without another letter, in milliseconds, it is asked what an address uses. */
const pause = 250;

/** addressed is what somebody has typed, where it may be a whole email address. */
function addressed(typed: string): string {
  return /^[^@\s]+@[^@\s]+\.[^@\s]{2,}$/.test(typed.trim()) ? typed.trim() : "";
}

/**
 * Providers are the providers with which one can sign in: those that the server shows everybody, and those of the domain
 * of the email address that is typed. Where they can't be asked for, there are none: a name and a password go on.
 */
export function Providers({ typed }: { typed: string }) {
  const [shown, setShown] = useState<readonly Choice[]>([]);
  const [found, setFound] = useState<readonly Choice[]>([]);
  const login = addressed(typed);
  useEffect(() => {
    client.listProviders().then(setShown, () => setShown([]));
  }, []);
  useEffect(() => {
    setFound([]);
    if (login === "") return undefined;
    let mine = true;
    const asked = setTimeout(() => {
      client.listProviders({ login }).then((all) => mine && setFound(all), () => undefined);
    }, pause);
    return () => {
      mine = false;
      clearTimeout(asked);
    };
  }, [login]);
  const all = [...found, ...shown.filter(({ id }) => !found.some((one) => one.id === id))];
  return (
    <>
      {all.map(({ id, name }) => (
        <a key={id} class="button" href={wayTo(id, login)} dir="auto">
          {text("signInWith", { name })}
        </a>
      ))}
    </>
  );
}

/** wayTo is where a browser goes to sign in, and from where it comes back to the page that it is at. */
function wayTo(provider: string, login: string): string {
  const here = new URL(location.href);
  here.searchParams.delete("sign_in");
  const query = new URLSearchParams({ return: here.pathname + here.search + here.hash, ...(login && { login }) });
  return `/v2/session/oidc/${encodeURIComponent(provider)}?${query.toString()}`;
}
