// A call as a command of a shell.
import type { Request } from "./request";

/** shell quotes a word, in which then nothing means anything. */
function shell(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

export function curl({ method, url, credentials, headers, body, reply }: Request): string {
  const usual = body ? "POST" : "GET";
  const options = [{ file: "-f", stream: "-N", json: "-i", text: "-i", nothing: "-i" }[reply.kind]];
  if (method !== usual) options.push(`-X ${method}`);
  const lines = [`curl ${options.join(" ")} ${shell(url)}`];
  if (credentials?.scheme === "Basic") lines.push(`-u ${shell(`${credentials.name}:${credentials.secret}`)}`);
  if (credentials?.scheme === "XMPP-Simple") {
    // Some programs named base64 break long lines.
    lines.push(`-H "Authorization: XMPP-Simple $(printf %s ${shell(credentials.words)} | base64 | tr -d '\\n')"`);
  }
  for (const [name, value] of headers) lines.push(`-H ${shell(`${name}: ${value}`)}`);
  // What begins with an at sign would be the name of a file.
  if (body?.kind === "json") lines.push(`${body.text.startsWith("@") ? "--data-raw" : "-d"} ${shell(body.text)}`);
  if (body?.kind === "form") {
    for (const [name, value] of body.fields) lines.push(`--form-string ${shell(`${name}=${value}`)}`);
    const { field, name, type } = body.file;
    lines.push(`-F ${shell(`${field}=@${name};type=${type}`)}`);
  }
  if (reply.kind === "file") lines.push(`-o ${shell(reply.name)}`);
  return `${lines.join(" \\\n  ")}\n`;
}
