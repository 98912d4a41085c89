// A call as a program in Go, with the standard library alone: it compiles wherever it is pasted. The project's own client
// would first have to be fetched and pinned.
import type { Body, Request } from "./request";
import { quoted } from "./text";

/** raw is a text as it stands, in lines, as long as Go has a way to write it so. */
function raw(words: string): string {
  return /[`\r\0\ufeff]/.test(words) ? quoted(words) : `\`${words}\``;
}

/** ends has a program end where the line before it failed. */
const ends = "\tif err != nil {\n\t\tlog.Fatal(err)\n\t}";

export function go({ method, url, credentials, headers, body, reply, told }: Request): string {
  const imports = new Set(["fmt", "log", "net/http"]);
  const lines = body ? bodyOf(body, imports) : [];
  const sent = body?.kind === "form" ? "&body" : body ? "body" : "nil";
  lines.push(`\trequest, err := http.NewRequest(${quoted(method)}, ${quoted(url)}, ${sent})`, ends);
  if (credentials?.scheme === "Basic") {
    lines.push(`\trequest.SetBasicAuth(${quoted(credentials.name)}, ${quoted(credentials.secret)})`);
  } else if (credentials) {
    imports.add("encoding/base64");
    lines.push(
      `\tcredentials := base64.StdEncoding.EncodeToString([]byte(${quoted(credentials.words)}))`,
      `\trequest.Header.Set("Authorization", "XMPP-Simple "+credentials)`,
    );
  }
  for (const [name, value] of headers) lines.push(`\trequest.Header.Set(${quoted(name)}, ${quoted(value)})`);
  if (body?.kind === "form") lines.push(`\trequest.Header.Set("Content-Type", form.FormDataContentType())`);
  lines.push("", "\tresponse, err := http.DefaultClient.Do(request)", ends, "\tdefer response.Body.Close()");
  lines.push(...replyOf(reply, told, imports));
  const used = [...imports].sort().map((name) => `\t"${name}"\n`).join("");
  return `package main\n\nimport (\n${used})\n\nfunc main() {\n${lines.join("\n")}\n}\n`;
}

function bodyOf(body: Body, imports: Set<string>): string[] {
  if (body.kind === "json") {
    imports.add("strings");
    return [`\tbody := strings.NewReader(${raw(body.text)})`];
  }
  for (const name of ["bytes", "io", "mime/multipart", "net/textproto", "os"]) imports.add(name);
  const { field, name, type } = body.file;
  const disposition = `form-data; name="${field}"; filename="${name}"`;
  return [
    `\tfile, err := os.Open(${quoted(name)})`,
    ends,
    "\tdefer file.Close()",
    "",
    "\tvar body bytes.Buffer",
    "\tform := multipart.NewWriter(&body)",
    ...(body.fields.length > 0 ? fieldsOf(body.fields) : []),
    "\tpart, err := form.CreatePart(textproto.MIMEHeader{",
    `\t\t"Content-Disposition": {${raw(disposition)}},`,
    `\t\t"Content-Type":        {${quoted(type)}},`,
    "\t})",
    ends,
    "\tif _, err := io.Copy(part, file); err != nil {\n\t\tlog.Fatal(err)\n\t}",
    "\tif err := form.Close(); err != nil {\n\t\tlog.Fatal(err)\n\t}",
    "",
  ];
}

function fieldsOf(fields: readonly (readonly [string, string])[]): string[] {
  return [
    "\tfor _, field := range [][2]string{",
    ...fields.map(([name, value]) => `\t\t{${quoted(name)}, ${quoted(value)}},`),
    "\t} {",
    "\t\tif err := form.WriteField(field[0], field[1]); err != nil {",
    "\t\t\tlog.Fatal(err)",
    "\t\t}",
    "\t}",
  ];
}

function replyOf(reply: Request["reply"], told: readonly string[], imports: Set<string>): string[] {
  imports.add("io");
  const failed = ["\tif response.StatusCode >= 400 {", "\t\tlog.Fatal(response.Status, \" \", string(answer))", "\t}"];
  if (reply.kind === "nothing" || reply.kind === "json" || reply.kind === "text") {
    return [
      "",
      "\tanswer, err := io.ReadAll(response.Body)",
      ends,
      ...failed,
      "\tfmt.Println(response.Status)",
      ...told.map((name) => `\tfmt.Println(${quoted(`${name}:`)}, response.Header.Get(${quoted(name)}))`),
      ...(reply.kind === "nothing" ? [] : ["\tfmt.Println(string(answer))"]),
    ];
  }
  const refused = [
    "\tif response.StatusCode >= 400 {",
    "\t\tanswer, _ := io.ReadAll(response.Body)",
    "\t\tlog.Fatal(response.Status, \" \", string(answer))",
    "\t}",
  ];
  if (reply.kind === "file") {
    imports.add("os");
    return [
      ...refused,
      "",
      `\tfile, err := os.Create(${quoted(reply.name)})`,
      ends,
      "\tif _, err := io.Copy(file, response.Body); err != nil {\n\t\tlog.Fatal(err)\n\t}",
      "\tif err := file.Close(); err != nil {\n\t\tlog.Fatal(err)\n\t}",
      "\tfmt.Println(response.Status)",
    ];
  }
  imports.add("bufio").add("strings");
  return [
    ...refused,
    "",
    "\tlines := bufio.NewReader(response.Body)",
    "\tfor {",
    "\t\tline, err := lines.ReadString('\\n')",
    "\t\tif err != nil {",
    "\t\t\tlog.Fatal(err)",
    "\t\t}",
    "\t\tif event, found := strings.CutPrefix(line, \"data: \"); found {",
    "\t\t\tfmt.Print(event)",
    "\t\t}",
    "\t}",
  ];
}
