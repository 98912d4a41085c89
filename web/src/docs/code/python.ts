// A call as a program in Python 3, with the standard library alone.
import type { Body, Credentials, Request } from "./request";
import { literal, quoted } from "./text";

const syntax = { step: "    ", name: quoted, constants: { true: "True", false: "False", null: "None" } };

function authorization(credentials: Credentials): string {
  const words = credentials.scheme === "Basic" ? `${credentials.name}:${credentials.secret}` : credentials.words;
  return `"${credentials.scheme} " + base64.b64encode(${quoted(words)}.encode()).decode()`;
}

export function python({ method, url, credentials, headers, body, reply, told }: Request): string {
  const imports = new Set(["urllib.error", "urllib.request"]);
  if (credentials) imports.add("base64");
  const before = body?.kind === "form" ? formOf(body, imports) : [];
  const sent = [
    ...(credentials ? [`        "Authorization": ${authorization(credentials)},`] : []),
    ...headers.map(([name, value]) => `        ${quoted(name)}: ${quoted(value)},`),
    ...(body?.kind === "form" ? [`        "Content-Type": f"multipart/form-data; boundary={boundary}",`] : []),
  ];
  const options = method === "GET" ? [] : [`    method=${quoted(method)},`];
  if (sent.length > 0) options.push("    headers={", ...sent, "    },");
  if (body?.kind === "form") options.push("    data=body,");
  if (body?.kind === "json" && "value" in body) {
    imports.add("json");
    options.push(`    data=json.dumps(${literal(body.value, syntax, "    ")}).encode(),`);
  } else if (body?.kind === "json") {
    options.push(`    data=${quoted(body.text)}.encode(),`);
  }
  const after = replyOf(reply, told, imports);
  return [
    ...[...imports].sort().map((name) => `import ${name}`),
    "",
    ...before,
    "request = urllib.request.Request(",
    `    ${quoted(url)},`,
    ...options,
    ")",
    "try:",
    "    response = urllib.request.urlopen(request)",
    "except urllib.error.HTTPError as error:",
    `    raise SystemExit(f"{error.code} {error.read().decode()}")`,
    ...after,
    "",
  ].join("\n");
}

function formOf({ fields, file: { field, name, type } }: Body & { kind: "form" }, imports: Set<string>): string[] {
  imports.add("uuid");
  return [
    "boundary = uuid.uuid4().hex",
    `body = b""`,
    ...(fields.length === 0 ? [] : [
      "for name, value in [",
      ...fields.map(([one, value]) => `    (${quoted(one)}, ${quoted(value)}),`),
      "]:",
      "    body += (",
      `        f'--{boundary}\\r\\nContent-Disposition: form-data; name="{name}"\\r\\n\\r\\n{value}\\r\\n'`,
      "    ).encode()",
    ]),
    `with open(${quoted(name)}, "rb") as file:`,
    "    body += (",
    `        f'--{boundary}\\r\\nContent-Disposition: form-data; name="${field}"; filename="${name}"\\r\\n'`,
    `        "Content-Type: ${type}\\r\\n\\r\\n"`,
    "    ).encode()",
    `    body += file.read() + f"\\r\\n--{boundary}--\\r\\n".encode()`,
    "",
  ];
}

function replyOf(reply: Request["reply"], told: readonly string[], imports: Set<string>): string[] {
  switch (reply.kind) {
    case "file":
      imports.add("shutil");
      return [
        `with response, open(${quoted(reply.name)}, "wb") as file:`,
        "    shutil.copyfileobj(response, file)",
        "print(response.status)",
      ];
    case "stream":
      imports.add("json");
      return [
        "with response:",
        "    for line in response:",
        `        if line.startswith(b"data: "):`,
        "            print(json.loads(line[6:]), flush=True)",
      ];
    default:
      if (reply.kind === "json") imports.add("json");
      return [
        "with response:",
        "    print(response.status)",
        ...told.map((name) => `    print(${quoted(`${name}:`)}, response.headers[${quoted(name)}])`),
        ...{ json: ["    print(json.load(response))"], text: ["    print(response.read().decode())"], nothing: [] }[reply.kind],
      ];
  }
}
