import { useEffect, useState } from "preact/hooks";
import { Icon } from "../kit/Icon";
import { Link } from "../kit/Link";
import { toast } from "../kit/Toasts";
import { useRefusal } from "../kit/useRefusal";
import { text, type Text } from "../text/text";
import { type Newcomer, type Sign, signOf } from "./state/first";

/** How often it is looked how far the message has come, in milliseconds. */
const often = 2000;

const signs: Readonly<Record<Sign, Text>> = {
  none: "console.firstNone", New: "console.firstSent", Delivered: "console.firstDelivered", Read: "console.firstRead",
  answered: "console.firstAnswered",
};

/**
 * FirstMessage has two windows write to each other: the messenger of whoever is here, and one in which the first person
 * signs in, as on a device of its own. It says how far the message has come.
 */
export function FirstMessage({ organization, person, onRead }: { organization: string; person: Newcomer; onRead: () => void }) {
  const name = person.display_name;
  const { sign, problem } = useSign(organization, person.token);
  const works = sign === "Read" || sign === "answered";
  useEffect(() => {
    if (works) onRead();
  }, [works]);
  return (
    <>
      <p>{text("console.stepMessageWhy", { name })}</p>
      <div class="windows">
        <section>
          <h3>{text("console.yourWindow")}</h3>
          <p>{text("console.yourWindowWhy", { name })}</p>
          <p>
            <a class="button primary" href={`/c/${person.token}`} target="_blank" rel="noopener">
              <Icon name="chat" /> {text("console.openMessenger")}
            </a>
          </p>
        </section>
        <section>
          <h3>{text("console.theirWindow", { name })}</h3>
          <p>{text("console.theirWindowWhy", { name })}</p>
          <dl>
            <Given label={text("console.address")} value={`${location.origin}/`} />
            <Given label={text("console.username")} value={person.username} />
            {person.password !== undefined && <Given label={text("console.firstPassword")} value={person.password} secret />}
          </dl>
          {person.password === undefined && (
            <p>
              {text("console.passwordUnknown")}{" "}
              <Link to={`/console/organizations/${organization}/people/${person.token}`}>{text("console.manage", { name })}</Link>
            </p>
          )}
        </section>
      </div>
      {problem ? (
        <p role="alert" class="problem">{problem}</p>
      ) : (
        <p role="status" class={works ? "sign good" : "sign"}>
          {sign && sign !== "none" && <Icon name={sign === "New" ? "check" : "checks"} />}
          <span>{sign && text(signs[sign], { name })}</span>
        </p>
      )}
    </>
  );
}

/** useSign looks, while the page is seen, until there is an answer to the message. */
function useSign(organization: string, person: string): { sign: Sign | undefined; problem: string } {
  const [sign, setSign] = useState<Sign>();
  const [problem, refuse] = useRefusal();
  useEffect(() => {
    let over = false;
    let first = true;
    const look = () => {
      if (over || document.visibilityState !== "visible") return;
      signOf(organization, person, first).then(
        (sign) => {
          if (over) return;
          setSign(sign);
          refuse(undefined);
          if (sign === "answered") end();
        },
        (error: unknown) => {
          if (!over) refuse(error);
        },
      );
      first = false;
    };
    const timer = setInterval(look, often);
    document.addEventListener("visibilitychange", look);
    const end = () => {
      over = true;
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
    look();
    return end;
  }, [organization, person]);
  return { sign, problem };
}

/** Given is something to type elsewhere, or to take along. A secret is seen only where it could not be copied. */
function Given({ label, value, secret = false }: { label: string; value: string; secret?: boolean }) {
  const [hidden, setHidden] = useState(secret);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      toast(text("copied"));
    } catch {
      setHidden(false); // the browser does not let a page copy, or not by plain HTTP: one can type it
    }
  };
  return (
    <>
      <dt>{label}</dt>
      <dd>
        <code>{hidden ? "••••••••" : value}</code>
        <button type="button" class="icon" aria-label={`${text("copy")}: ${label}`} title={text("copy")} onClick={() => void copy()}>
          <Icon name="copy" />
        </button>
      </dd>
    </>
  );
}
