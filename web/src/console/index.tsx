// The console: the page at /console.
import "@preact/signals";
import { signal } from "@preact/signals";
import { show } from "../kit/show";
import { SignIn } from "../kit/SignIn";
import { brand, loadBrand } from "../kit/state/brand";
import { go } from "../kit/state/route";
import { elevateBy, offline, resume, session } from "../kit/state/session";
import "../kit/state/theme";
import { Starting } from "../kit/Starting";
import { Toasts } from "../kit/Toasts";
import { start, text } from "../text/text";
import "../style/tokens.css";
import "../style/base.css";
import "../style/overlay.css";
import "../style/form.css";
import "../style/avatar.css";
import "../style/sign-in.css";
import "../style/console.css";
import "../style/overview.css";
import "../style/start.css";
import "../style/import.css";
import "../style/table.css";
import "../style/acts.css";
import "../style/audit.css";
import "../style/plans.css";
import "uplot/dist/uPlot.min.css";
import "../style/plot.css";
import { Console } from "./Console";
import { prepare, SecondFactor } from "./later";
import { beforeCall, onElevationRequired } from "./state/elevation";
import { signInByLink } from "./state/first";
import { own } from "./words";

/** The link was used already, or its hour is over. */
const spent = signal(false);

function Page() {
  if (session.value === undefined || brand.value === undefined) {
    // Not known yet.
    return offline.value ? <p class="banner" role="status">{text("noConnection")}</p> : <Starting />;
  }
  return (
    <>
      {session.value === null ? (
        <>
          {spent.value && <p class="banner">{text("console.linkSpent")}</p>}
          <SignIn />
        </>
      ) : session.value.second_factor ? (
        <SecondFactor />
      ) : (
        <Console />
      )}
      <Toasts />
    </>
  );
}

elevateBy({ beforeCall, onElevationRequired });
await start(own);
show(<Page />);
void loadBrand();
prepare();
try {
  if (await signInByLink()) go("/console/start", { replace: true });
} catch {
  spent.value = true;
}
if (!session.value) await resume();
