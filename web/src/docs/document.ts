// The OpenAPI document that the server serves, as the page knows it.
import { signal } from "@preact/signals";
import { describe, type Operation, type Raw, type Tag } from "./code/openapi";
import { readFrom } from "./schema";

/** Undefined while it is being loaded. */
export const introduction = signal<string | undefined>(undefined);
export const tags = signal<readonly Tag[]>([]);
export const operations = signal<readonly Operation[]>([]);

/** load fetches the document. */
export async function load(): Promise<void> {
  const answer = await fetch("/openapi.json");
  if (!answer.ok) throw new TypeError(answer.statusText);
  const root = (await answer.json()) as Raw;
  readFrom(root);
  const described = describe(root);
  tags.value = described.tags;
  operations.value = described.operations;
  introduction.value = described.introduction;
}

/** operationAt is the call of a method and a path, which may lack the version and write its parameters in any way. */
export function operationAt(address: string): Operation | undefined {
  const wanted = shapeOf(address);
  return operations.value.find(({ method, path }) => [path, path.replace("/v2", "")].some((one) =>
    shapeOf(`${method} ${one}`) === wanted));
}

/** shapeOf is what is left of a call where nobody looks at the names of its parameters. */
function shapeOf(address: string): string {
  return address.replace(/\?.*/, "").replace(/:\w+|\{\w+\}|\/1$/g, (part) => (part === "/1" ? "/:" : ":"));
}

/** The vendor's names where the guides write TT and tigertext. */
export function vendor(): { prefix: string; namespace: string } {
  const header = operations.value.flatMap(({ parameters }) => parameters)
    .find(({ in: place, name }) => place === "header" && name.endsWith("-X-Organization-Key"));
  const type = operations.value.flatMap(({ parameters }) => parameters)
    .flatMap(({ examples }) => examples)
    .find((one) => typeof one === "string" && one.endsWith(":entity:account")) as string | undefined;
  return {
    prefix: header?.name.slice(0, -"-X-Organization-Key".length) ?? "TT",
    namespace: type?.slice(0, -":entity:account".length) ?? "tigertext",
  };
}
