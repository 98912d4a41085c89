// The messenger: the page at /.
import "@preact/signals";
import { show } from "../kit/show";
import { brand, loadBrand } from "../kit/state/brand";
import { offline, resume, session } from "../kit/state/session";
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
import "../style/messenger.css";
import "../style/found.css";
import "../style/conversation.css";
import "../style/duty.css";
import "../style/composer.css";
import "../style/moves.css";
import "../style/picture.css";
import { install } from "./install";
import { prepare, SecondFactor, SignIn } from "./later";
import { Messenger } from "./Messenger";

function Page() {
  if (session.value === undefined || brand.value === undefined) {
    // Not known yet.
    return offline.value ? <p class="banner" role="status">{text("noConnection")}</p> : <Starting />;
  }
  return (
    <>
      {session.value === null ? <SignIn /> : session.value.second_factor ? <SecondFactor /> : <Messenger />}
      <Toasts />
    </>
  );
}

await start();
show(<Page />);
void loadBrand();
void resume();
prepare();
install().catch(() => undefined); // it works without
