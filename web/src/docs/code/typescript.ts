// A call as a program in TypeScript, for Node.js 18 or later.
import type { Credentials, Request } from "./request";
import { literal, quoted } from "./text";

const syntax = {
  step: "  ",
  // As a plain name it would set the prototype of the object.
  name: (name: string) => (name === "__proto__" ? `["__proto__"]` : /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name)),
  constants: { true: "true", false: "false", null: "null" },
};

function authorization(credentials: Credentials): string {
  const words = credentials.scheme === "Basic" ? `${credentials.name}:${credentials.secret}` : credentials.words;
  return `"${credentials.scheme} " + Buffer.from(${quoted(words)}).toString("base64")`;
}

export function typescript({ method, url, credentials, headers, body, reply, told }: Request): string {
  const imports = credentials ? [`import { Buffer } from "node:buffer";`] : [];
  const fs = [...(body?.kind === "form" ? ["readFile"] : []), ...(reply.kind === "file" ? ["writeFile"] : [])];
  if (fs.length > 0) imports.push(`import { ${fs.join(", ")} } from "node:fs/promises";`);
  const lines = imports.length > 0 ? [...imports, ""] : [];
  if (body?.kind === "form") {
    const { field, name, type } = body.file;
    lines.push(
      `const file = new Blob([await readFile(${quoted(name)})], { type: ${quoted(type)} });`,
      "const body = new FormData();",
      ...body.fields.map(([one, value]) => `body.append(${quoted(one)}, ${quoted(value)});`),
      `body.append(${quoted(field)}, file, ${quoted(name)});`,
      "",
    );
  }
  const options = method === "GET" ? [] : [`  method: ${quoted(method)},`];
  const sent = [
    ...(credentials ? [`    Authorization: ${authorization(credentials)},`] : []),
    ...headers.map(([name, value]) => `    ${syntax.name(name)}: ${quoted(value)},`),
  ];
  if (sent.length > 0) options.push("  headers: {", ...sent, "  },");
  if (body?.kind === "form") options.push("  body,");
  if (body?.kind === "json") {
    options.push(`  body: ${"value" in body ? `JSON.stringify(${literal(body.value, syntax, "  ")})` : quoted(body.text)},`);
  }
  lines.push(options.length > 0
    ? `const response = await fetch(${quoted(url)}, {\n${options.join("\n")}\n});`
    : `const response = await fetch(${quoted(url)});`);
  lines.push("if (response.status >= 400) throw new Error(`${response.status} ${await response.text()}`);");
  lines.push(...replyOf(reply, told));
  return `${lines.join("\n")}\n`;
}

function replyOf(reply: Request["reply"], told: readonly string[]): string[] {
  switch (reply.kind) {
    case "file":
      return [`await writeFile(${quoted(reply.name)}, response.body!);`, "console.log(response.status);"];
    case "stream":
      return [
        `let rest = "";`,
        "for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {",
        `  const lines = (rest + chunk).split("\\n");`,
        `  rest = lines.pop() ?? "";`,
        "  for (const line of lines) {",
        `    if (line.startsWith("data: ")) console.log(JSON.parse(line.slice(6)));`,
        "  }",
        "}",
      ];
    default:
      return [
        "console.log(response.status);",
        ...told.map((name) => `console.log(${quoted(`${name}:`)}, response.headers.get(${quoted(name)}));`),
        ...(reply.kind === "nothing" ? [] : [`console.log(await response.${reply.kind}());`]),
      ];
  }
}
