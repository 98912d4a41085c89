import { useEffect, useState } from "preact/hooks";
import { SignetError } from "../client/index";
import { text } from "../text/text";
import { describe } from "./describe";
import { Field } from "./Field";
import { Mark } from "./House";
import { passkeysWork, usePasskey } from "./passkeys";
import { Providers } from "./Providers";
import { brand, siteName } from "./state/brand";
import { ended, signIn } from "./state/session";

/** The code with which a provider sent the browser back, which did not sign it in; taken out of the page's address. */
function refusedWith(): string {
  const here = new URL(location.href);
  const code = here.searchParams.get("sign_in") ?? "";
  if (code) {
    here.searchParams.delete("sign_in");
    history.replaceState(history.state, "", here);
  }
  return code;
}

/** whyRefused says why a provider signed nobody in. */
function whyRefused(code: string): string {
  if (code === "origin_refused") return text("identityElsewhere");
  return text(code === "identity_unknown" || code === "identity_incomplete" ? "identityUnknown" : "identityFailed");
}

/** SignIn takes a name and a password, or, where one has these, a key and its secret. */
export function SignIn() {
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const [byKey, setByKey] = useState(false);
  const [typed, setTyped] = useState("");
  const [refused, setRefused] = useState(refusedWith);
  const house = brand.value?.name;
  useEffect(() => {
    if (house) document.title = house;
  }, [house]);
  const submit = async (form: HTMLFormElement) => {
    if (busy) return;
    const fields = new FormData(form);
    const field = (name: string) => String(fields.get(name)).trim();
    setBusy(true);
    setError(undefined);
    setRefused("");
    try {
      await signIn(
        byKey
          ? { key: field("key"), secret: field("secret") }
          : { username: field("username"), password: String(fields.get("password")) },
      );
    } catch (error) {
      setError(error);
      setBusy(false);
    }
  };
  const byPasskey = async () => {
    if (busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await usePasskey();
    } catch (error) {
      setError(error);
      setBusy(false);
    }
  };
  const wrong = error instanceof SignetError && error.code === "credentials_invalid";
  const name = byKey ? "key" : "username";
  const secret = byKey ? "secret" : "password";
  return (
    <main class="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit(event.currentTarget);
        }}
      >
        <h1>
          <Mark /> <span dir="auto">{siteName()}</span>
        </h1>
        {ended.value && (
          <p role="status" class="notice">
            {text("sessionEnded")}
          </p>
        )}
        <Field
          key={name}
          label={text(byKey ? "key" : "username")}
          name={name}
          autocomplete={byKey ? "off" : "username"}
          verbatim
          required
          onInput={(event) => setTyped(event.currentTarget.value)}
          value={typed}
        />
        {!byKey && <Providers typed={typed} />}
        <Field
          key={secret}
          label={text(byKey ? "secret" : "password")}
          name={secret}
          type="password"
          autocomplete={byKey ? "off" : "current-password"}
          required
        />
        <p role="alert" class="problem">
          {wrong ? text(byKey ? "wrongKey" : "wrongPassword") : error !== undefined ? describe(error) : refused && whyRefused(refused)}
        </p>
        <button type="submit" class="primary" aria-disabled={busy}>
          {text("signIn")}
        </button>
        {passkeysWork() && (
          <button type="button" aria-disabled={busy} onClick={() => void byPasskey()}>
            {text("signInWithPasskey")}
          </button>
        )}
        <button
          type="button"
          class="quiet"
          onClick={() => {
            setByKey(!byKey);
            setTyped("");
            setError(undefined);
          }}
        >
          {text(byKey ? "byPassword" : "byKey")}
        </button>
      </form>
    </main>
  );
}
