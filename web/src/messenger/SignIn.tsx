import { useState } from "preact/hooks";
import { SignetError } from "../client/index";
import { signIn } from "../state/session";
import { text } from "../text/text";
import { Field } from "../view/Field";
import { describe } from "../view/describe";

export function SignIn() {
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const submit = async (form: HTMLFormElement) => {
    const fields = new FormData(form);
    setBusy(true);
    try {
      await signIn(String(fields.get("username")), String(fields.get("password")));
    } catch (error) {
      setProblem(error instanceof SignetError && error.status === 401 ? text("wrongPassword") : describe(error));
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
        <Field label={text("username")} name="username" autocomplete="username" required />
        <Field label={text("password")} name="password" type="password" autocomplete="current-password" required />
        <p role="alert" class="problem">
          {problem}
        </p>
        <button type="submit" class="primary" disabled={busy}>
          {text("signIn")}
        </button>
      </form>
    </main>
  );
}
