import { Link } from "../kit/Link";
import { text } from "../text/text";

/** NotFound is for an address where there is nothing, or nothing for the caller. */
export function NotFound() {
  return (
    <>
      <h1>{text("console.notFound")}</h1>
      <p><Link to="/console">{text("console.overview")}</Link></p>
    </>
  );
}
