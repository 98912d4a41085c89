// The console: the page at /console.
import "@preact/signals";
import { render } from "preact";
import { signal } from "@preact/signals";
import { signInByLink } from "../state/first";
import { resume, session } from "../state/session";
import "../state/theme";
import "../style/tokens.css";
import "../style/base.css";
import "../style/overlay.css";
import "../style/avatar.css";
import "../style/sign-in.css";
import "../style/console.css";
import { SignIn } from "../messenger/SignIn";
import { start, text } from "../text/text";
import { Toasts } from "../view/Toasts";
import { Console } from "./Console";

/** The person came by the link of a first start. */
const first = signal(false);
/** The link was used already, or its hour is over. */
const spent = signal(false);

function Page() {
  if (session.value === undefined) return null; // not known yet
  return (
    <>
      {session.value === null ? (
        <>
          {spent.value && <p class="banner">{text("console.linkSpent")}</p>}
          <SignIn />
        </>
      ) : (
        <Console first={first.value} />
      )}
      <Toasts />
    </>
  );
}

await start();
render(<Page />, document.body);
try {
  first.value = await signInByLink();
} catch {
  spent.value = true;
}
if (!first.value) await resume();
