// A call as a program in Java 17 or later, with java.net.http.
import { type Body, type Credentials, escaped, type Request } from "./request";
import { indent, quoted } from "./text";

/** ascii writes other characters as escapes: older compilers read a source in the encoding of their system. */
function ascii(words: string): string {
  return words.replace(/[^\0-\x7f]/g, escaped);
}

function text(words: string): string {
  return ascii(quoted(words));
}

/** block is a text block, whose lines lie as deep as its last. */
function block(words: string, at: string): string {
  const inner = words.replaceAll("\\", "\\\\").replaceAll("\r", "\\r")
    .replaceAll(/"""|"$/g, (marks) => marks.replaceAll('"', '\\"'));
  return `"""\n${at}${indent(ascii(inner), at)}"""`;
}

const step = "        ";
const deep = `${step}        `;

export function java({ method, url, credentials, headers, body, reply, told }: Request): string {
  const imports = new Set(["java.io.IOException", "java.net.URI", "java.net.http.HttpClient", "java.net.http.HttpRequest",
    "java.net.http.HttpResponse"]);
  const lines = body?.kind === "form" ? formOf(body, imports) : [];
  if (credentials) lines.push(`String credentials = ${encoded(credentials, imports)};`);
  const chain = [
    ...(credentials ? [`.header("Authorization", "${credentials.scheme} " + credentials)`] : []),
    ...headers.map(([name, value]) => `.header(${text(name)}, ${text(value)})`),
    ...(body?.kind === "form" ? [`.header("Content-Type", "multipart/form-data; boundary=" + boundary)`] : []),
    ...(method === "GET" && !body ? [] : [`.method(${text(method)}, HttpRequest.BodyPublishers.${publisher(body)})`]),
    ".build();",
  ];
  lines.push(`HttpRequest request = HttpRequest.newBuilder(URI.create(${text(url)}))\n${step}    ${chain.join(`\n${step}    `)}`);
  lines.push(...replyOf(reply, told, imports));
  return [
    ...[...imports].sort().map((name) => `import ${name};`),
    "",
    "public class Example {",
    "    public static void main(String[] args) throws IOException, InterruptedException {",
    ...lines.map((line) => line && step + line),
    "    }",
    "}",
    "",
  ].join("\n");
}

function encoded(credentials: Credentials, imports: Set<string>): string {
  imports.add("java.nio.charset.StandardCharsets").add("java.util.Base64");
  const words = credentials.scheme === "Basic" ? `${credentials.name}:${credentials.secret}` : credentials.words;
  return `Base64.getEncoder()\n${step}    .encodeToString(${text(words)}.getBytes(StandardCharsets.UTF_8))`;
}

function publisher(body: Body | undefined): string {
  if (!body) return "noBody()";
  return body.kind === "form" ? "ofByteArray(body.toByteArray())" : `ofString(${block(body.text, deep)})`;
}

function formOf({ fields, file: { field, name, type } }: Body & { kind: "form" }, imports: Set<string>): string[] {
  for (const one of ["java.io.ByteArrayOutputStream", "java.nio.charset.StandardCharsets", "java.nio.file.Files",
    "java.nio.file.Path", "java.util.UUID"]) imports.add(one);
  const rows = fields.map(([one, value]) => `    {${text(one)}, ${text(value)}},`);
  return [
    "String boundary = UUID.randomUUID().toString();",
    "ByteArrayOutputStream body = new ByteArrayOutputStream();",
    ...(rows.length === 0 ? [] : [
      "String[][] fields = {",
      ...rows,
      "};",
      "for (String[] field : fields) {",
      `    body.write(("--" + boundary + "\\r\\nContent-Disposition: form-data; name=\\"" + field[0] + "\\"\\r\\n\\r\\n"`,
      `        + field[1] + "\\r\\n").getBytes(StandardCharsets.UTF_8));`,
      "}",
    ]),
    `body.write(("--" + boundary + "\\r\\nContent-Disposition: form-data; name=\\"${field}\\"; filename=\\"${name}\\"\\r\\n"`,
    `    + "Content-Type: ${type}\\r\\n\\r\\n").getBytes(StandardCharsets.UTF_8));`,
    `body.write(Files.readAllBytes(Path.of(${text(name)})));`,
    `body.write(("\\r\\n--" + boundary + "--\\r\\n").getBytes(StandardCharsets.UTF_8));`,
    "",
  ];
}

/** sending makes the call, and has its answer as the handler gives it. */
function sending(type: string, handler: string): string {
  return `HttpResponse<${type}> response = HttpClient.newHttpClient()\n${step}    .send(request, HttpResponse.BodyHandlers.${handler}());`;
}

function replyOf(reply: Request["reply"], told: readonly string[], imports: Set<string>): string[] {
  switch (reply.kind) {
    case "file":
      for (const one of ["java.io.InputStream", "java.nio.charset.StandardCharsets", "java.nio.file.Files", "java.nio.file.Path",
        "java.nio.file.StandardCopyOption"]) imports.add(one);
      return [
        sending("InputStream", "ofInputStream"),
        "try (InputStream body = response.body()) {",
        "    if (response.statusCode() >= 400) {",
        `        throw new IOException(response.statusCode() + " " + new String(body.readAllBytes(), StandardCharsets.UTF_8));`,
        "    }",
        `    Files.copy(body, Path.of(${text(reply.name)}), StandardCopyOption.REPLACE_EXISTING);`,
        "}",
        "System.out.println(response.statusCode());",
      ];
    case "stream":
      for (const one of ["java.util.stream.Collectors", "java.util.stream.Stream"]) imports.add(one);
      return [
        sending("Stream<String>", "ofLines"),
        "if (response.statusCode() >= 400) {",
        `    throw new IOException(response.statusCode() + " " + response.body().collect(Collectors.joining()));`,
        "}",
        "response.body()",
        `    .filter(line -> line.startsWith("data: "))`,
        "    .forEach(line -> System.out.println(line.substring(6)));",
      ];
    default:
      return [
        sending("String", "ofString"),
        "if (response.statusCode() >= 400) {",
        `    throw new IOException(response.statusCode() + " " + response.body());`,
        "}",
        "System.out.println(response.statusCode());",
        ...told.map((name) =>
          `System.out.println(${text(`${name}: `)} + response.headers().firstValue(${text(name)}).orElse(""));`),
        ...(reply.kind === "nothing" ? [] : ["System.out.println(response.body());"]),
      ];
  }
}
