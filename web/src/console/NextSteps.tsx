import type { ComponentChildren } from "preact";
import { Icon } from "../kit/Icon";
import { Link } from "../kit/Link";
import { text } from "../text/text";

/** NextSteps is what an organization begins with, in which nothing was sent yet. */
export function NextSteps({ organization, members }: { organization: string; members: number }) {
  const base = `/console/organizations/${organization}`;
  return (
    <section class="next-steps" aria-label={text("console.nextSteps")}>
      <h2>{text("console.nextSteps")}</h2>
      <ol>
        <Step title={text("console.nextPeople")} why={text("console.nextPeopleWhy")} done={members > 1}>
          <Link to={`${base}/people`} class="button">{text("console.people")}</Link>
        </Step>
        <Step title={text("console.nextMessage")} why={text("console.nextMessageWhy")}>
          <a href="/" class="button">{text("console.messenger")}</a>
        </Step>
        <Step title={text("console.nextProgram")} why={text("console.nextProgramWhy")}>
          <Link to={`${base}/keys`} class="button">{text("console.keys")}</Link> <a href="/docs" class="button">{text("console.api")}</a>
        </Step>
      </ol>
    </section>
  );
}

function Step(props: { title: string; why: string; done?: boolean; children: ComponentChildren }) {
  return (
    <li class={props.done ? "done" : ""}>
      <h3>
        {props.done && <Icon name="check" />}
        {props.title}
        {props.done && <span class="unseen"> {text("console.done")}</span>}
      </h3>
      <p>{props.why}</p>
      <p>{props.children}</p>
    </li>
  );
}
