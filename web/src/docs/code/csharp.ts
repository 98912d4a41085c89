// A call as a program in C# 11 or later (.NET 8), with HttpClient.
import type { Body, Credentials, Request } from "./request";
import { indent, quoted } from "./text";

/** raw is a text in as many quotation marks as it has nowhere in a row, three at least. */
function raw(words: string, at: string): string {
  const longest = Math.max(2, ...[...words.matchAll(/"+/g)].map(([marks]) => marks.length));
  const marks = '"'.repeat(longest + 1);
  return /\r/.test(words) ? quoted(words) : `${marks}\n${at}${indent(words, at)}\n${at}${marks}`;
}

const verbs: Readonly<Record<string, string>> = { GET: "Get", POST: "Post", PUT: "Put", DELETE: "Delete" };

export function csharp({ method, url, credentials, headers, body, reply, told }: Request): string {
  const imports = new Set(["System", "System.Net.Http"]);
  const lines = [
    "using var client = new HttpClient();",
    `using var request = new HttpRequestMessage(HttpMethod.${verbs[method]}, ${quoted(url)});`,
  ];
  if (credentials) lines.push(`request.Headers.Authorization = ${encoded(credentials, imports)};`);
  const own = headers.filter(([name]) => name !== "Content-Type"); // it belongs to the content
  for (const [name, value] of own) lines.push(`request.Headers.Add(${quoted(name)}, ${quoted(value)});`);
  if (body) lines.push(...contentOf(body, imports));
  lines.push("", ...replyOf(reply, told, imports));
  return `${[...imports].sort().map((name) => `using ${name};`).join("\n")}\n\n${lines.join("\n")}\n`;
}

function encoded(credentials: Credentials, imports: Set<string>): string {
  imports.add("System.Net.Http.Headers").add("System.Text");
  const words = credentials.scheme === "Basic" ? `${credentials.name}:${credentials.secret}` : credentials.words;
  return `new AuthenticationHeaderValue("${credentials.scheme}",\n    Convert.ToBase64String(Encoding.UTF8.GetBytes(${quoted(words)})))`;
}

function contentOf(body: Body, imports: Set<string>): string[] {
  if (body.kind === "json") {
    imports.add("System.Text");
    return [`request.Content = new StringContent(${raw(body.text, "    ")}, Encoding.UTF8, "application/json");`];
  }
  imports.add("System.IO").add("System.Net.Http.Headers");
  const { field, name, type } = body.file;
  return [
    "",
    "var form = new MultipartFormDataContent();",
    ...body.fields.map(([one, value]) => `form.Add(new StringContent(${quoted(value)}), ${quoted(one)});`),
    `var file = new StreamContent(File.OpenRead(${quoted(name)}));`,
    `file.Headers.ContentType = new MediaTypeHeaderValue(${quoted(type)});`,
    `form.Add(file, ${quoted(field)}, ${quoted(name)});`,
    "request.Content = form;",
  ];
}

const failed = [
  "if ((int)response.StatusCode >= 400)",
  "{",
  `    throw new HttpRequestException($"{(int)response.StatusCode} {await response.Content.ReadAsStringAsync()}");`,
  "}",
];

function replyOf(reply: Request["reply"], told: readonly string[], imports: Set<string>): string[] {
  const atOnce = "using var response = await client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead);";
  switch (reply.kind) {
    case "file":
      imports.add("System.IO");
      return [
        atOnce,
        ...failed,
        `await using var file = File.Create(${quoted(reply.name)});`,
        "await response.Content.CopyToAsync(file);",
        "Console.WriteLine((int)response.StatusCode);",
      ];
    case "stream":
      imports.add("System.IO");
      return [
        atOnce,
        ...failed,
        "using var reader = new StreamReader(await response.Content.ReadAsStreamAsync());",
        "while (await reader.ReadLineAsync() is { } line)",
        "{",
        `    if (line.StartsWith("data: ")) Console.WriteLine(line[6..]);`,
        "}",
      ];
    default:
      return [
        "using var response = await client.SendAsync(request);",
        ...failed,
        "Console.WriteLine((int)response.StatusCode);",
        ...(told.length === 0 ? [] : [
          `foreach (var name in new[] { ${told.map(quoted).join(", ")} })`,
          "{",
          "    if (response.Headers.TryGetValues(name, out var values))",
          "    {",
          `        Console.WriteLine($"{name}: {string.Join(", ", values)}");`,
          "    }",
          "}",
        ]),
        ...(reply.kind === "nothing" ? [] : ["Console.WriteLine(await response.Content.ReadAsStringAsync());"]),
      ];
  }
}
