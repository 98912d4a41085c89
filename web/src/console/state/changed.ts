// What the detail of an entry of the audit log says, in words.
import type { Schemas } from "../../client/index";
import { isText, language, text } from "../../text/text";

type Entry = Schemas["AuditEntry"];

/** The names of settings, limits and fields that the console has for other reasons, by what details call them. */
const known = {
  allow_public_groups: "console.publicAllowed",
  attachments: "console.attachmentsAllowed",
  department: "console.department",
  display_name: "console.displayName",
  dor: "console.dor",
  emails: "console.email",
  forward: "console.forwardAllowed",
  label: "console.label",
  messages_per_day: "console.aDay",
  phones: "console.phone",
  priority_messaging: "console.priorityAllowed",
  requests_per_second: "console.aSecond",
  second_factor: "console.secondFactor",
  title: "console.jobTitle",
  username: "console.username",
} as const;

function nameOf(word: string): string {
  if (Object.hasOwn(known, word)) return text(known[word as keyof typeof known]);
  const setting = `console.set.${word}`;
  if (isText(setting)) return text(setting);
  const field = `console.field.${word}`;
  return isText(field) ? text(field) : word;
}

/** length is a number of minutes, in days or hours where these are whole. */
function length(minutes: number): string {
  if (minutes < 0) return text("console.never");
  if (minutes % 1440 === 0) return text("console.days", { n: minutes / 1440 });
  return minutes % 60 === 0 ? text("console.hours", { n: minutes / 60 }) : text("console.minutes", { n: minutes });
}

function valueOf(name: string, value: string): string {
  if (/(ttl|_time)$/.test(name)) return length(Number(value));
  if (name === "second_factor") return text(value === "required" ? "console.yes" : "console.no");
  if (name === "display_names") return text(value === "administrators" ? "console.yes" : "console.no");
  if (value === "true" || value === "false") return text(value === "true" ? "console.yes" : "console.no");
  return value === "default" ? text("console.default") : value;
}

/** pairs are the settings or limits of a detail with their values. */
function pairs(detail: string): string {
  const all = detail.split(" ").map((pair) => {
    const [name = "", value = ""] = pair.split("=");
    if (name === "label") return nameOf(name); // what it says is not kept
    return text("console.setTo", { name: nameOf(name), value: valueOf(name, value) });
  });
  return all.join(", ");
}

/** fields are the fields of a detail; the hash of names is none. */
function fields(detail: string): string {
  const all = detail.split(" ").filter((word) => !word.startsWith("names=") && word !== "scim");
  return new Intl.ListFormat(language.value, { type: "conjunction" }).format(all.map(nameOf));
}

/** changed says what an entry tells besides whom it is about: what was changed, which role, for what reason. */
export function changed({ action, detail = "" }: Entry): string {
  if (detail === "") return "";
  if (detail === "scim") return "SCIM"; // a directory did it
  if (action === "message.recall") return / reason=(.*)$/su.exec(detail)?.[1] ?? "";
  if (action.startsWith("escalation.")) return detail.replace(/^policy=/, "");
  if (action.startsWith("role.")) return /^role=(\w+)/.exec(detail)?.[1] ?? "";
  if (action === "organization.update" || action === "key.limit") return pairs(detail);
  if (action === "user.update" || action === "user.rename") return fields(detail);
  return detail;
}
