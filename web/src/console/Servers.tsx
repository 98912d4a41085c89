import type { Schemas } from "../client/index";
import { edges } from "../kit/edges";
import { Moment } from "../kit/Moment";
import { text } from "../text/text";

/** Servers are those of the installation, and what the one that answers works with. */
export function Servers({ nodes, server }: Pick<Schemas["InstallationStatus"], "nodes" | "server">) {
  return (
    <>
      <h2>{text("console.nodes")}</h2>
      <div class="table" tabIndex={0} role="region" aria-label={text("console.nodes")} ref={edges}>
        <table>
          <thead>
            <tr>
              <th scope="col">{text("console.name")}</th>
              <th scope="col">{text("console.version")}</th>
              <th scope="col">{text("console.started")}</th>
              <th scope="col">{text("console.state")}</th>
            </tr>
          </thead>
          <tbody>
            {(nodes.length ? nodes : [{ ...server, alive: true, answers: true }]).map((node) => (
              <tr key={node.name}>
                <td dir="auto">{node.name}</td>
                <td dir="auto">{node.version}</td>
                <td><Moment at={node.started_time} /></td>
                <td class={node.alive ? "good" : "bad"}>{text(node.alive ? "console.alive" : "console.away")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {server.parts.length > 0 && (
        <>
          <h2>{text("console.parts")}</h2>
          <ul class="parts">
            {server.parts.map((part) => (
              <li key={part.name} class={part.up ? "good" : "bad"}>
                <code>{part.name}</code>: {text(part.up ? "console.alive" : "console.away")}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
