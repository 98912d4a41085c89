// The API page, at /docs: every call of the interface, from the document that the server serves.
import "@preact/signals";
import { show } from "../kit/show";
import { loadBrand } from "../kit/state/brand";
import { resume } from "../kit/state/session";
import "../kit/state/theme";
import { start } from "../text/text";
import "../style/tokens.css";
import "../style/base.css";
import "../style/overlay.css";
import "../style/reference.css";
import "../style/docs.css";
import { Docs } from "./Docs";
import { own } from "./words";

await Promise.all([start(own), loadBrand()]);
show(<Docs />);
resume().catch(() => undefined); // without a session one reads
