import { useState } from "preact/hooks";
import { SignetError } from "../client/index";
import { signIn } from "../state/session";
import { text } from "../text/text";
import { Field } from "../view/Field";

export function SignIn() {
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const submit = async (form: HTMLFormElement) => {
    const fields = new FormData(form);
    setBusy(true);
    try {
      await signIn(String(fields.get("username")), String(fields.get("password")));
    } catch (error) {
      setProblem(describe(error));
      setBusy(false);
    }
  };
  return (
    <main class="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit(event.currentTarget);
        }}
      >
        <h1>{text("app")}</h1>
        <Field label={text("username")} name="username" autocomplete="username" />
        <Field label={text("password")} name="password" autocomplete="current-password" secret />
        <p role="alert" class="problem">
          {problem}
        </p>
        <button type="submit" disabled={busy}>
          {text("signIn")}
        </button>
      </form>
    </main>
  );
}

function describe(error: unknown): string {
  if (!(error instanceof SignetError)) return text("offline");
  if (error.status === 401) return text("wrongPassword");
  return error.status === 429 ? text("tooManyFailures") : error.message;
}
