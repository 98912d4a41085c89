// What an entry of the audit log says, as a sentence of the language in force: who did what to whom.
import type { Schemas } from "../../client/index";
import { capital } from "../../text/format";
import { isText, text, type Text } from "../../text/text";
import { actionTitle } from "./actions";
import { changed } from "./changed";

type Entry = Schemas["AuditEntry"];

/** A part of a sentence that is the entry’s own: a name, or what was written or changed. */
export interface Named {
  readonly words: string;
  /** Whom or what it names; empty where it only says something. */
  readonly kind: "account" | "group" | "organization" | "";
  readonly token: string;
  /** There is a name; else some words stand for it. */
  readonly known: boolean;
}

/** A piece of a sentence: words of the dictionary, or of the entry. */
export type Piece = string | Named;

/** Who reads, and what is known of names. */
export interface Reader {
  readonly names: Readonly<Record<string, string>>;
  /** Sees every account and organization that there is. */
  readonly operator: boolean;
}

function said(words: string): Named {
  return { words, kind: "", token: "", known: true };
}

function accountOf(token: string, { names, operator }: Reader): Named {
  const name = names[token];
  const words = name ?? text(operator ? "console.deletedAccount" : "console.otherAccount");
  return { words, kind: "account", token, known: name !== undefined };
}

function groupOf(token: string, { names }: Reader): Named {
  return { words: names[token] ?? text("console.deletedGroup"), kind: "group", token, known: token in names };
}

function organizationOf(token: string, { names, operator }: Reader): Named {
  const words = names[token] ?? text(operator ? "console.deletedOrganization" : "console.otherOrganization");
  return { words, kind: "organization", token, known: token in names };
}

/** whoOf is who did it, or tried. */
export function whoOf(entry: Entry, reader: Reader): Named {
  if (entry.account) return accountOf(entry.account, reader);
  const words = text(entry.address === "command" ? "console.commandLine" : "console.someone");
  return { words, kind: "", token: "", known: false };
}

/** whomOf is the account that it was done to. */
function whomOf(entry: Entry, reader: Reader): Named | undefined {
  const { account, on_account } = entry;
  if (!on_account) return undefined;
  if (on_account !== account) return accountOf(on_account, reader);
  return { words: text("console.themselves"), kind: "", token: "", known: false };
}

/** Parts are what an entry names. */
interface Parts {
  readonly whom: Named | undefined;
  readonly group: Named | undefined;
  readonly organization: Named | undefined;
  /** What was changed, or why. */
  readonly what: string;
}

function partsOf(entry: Entry, reader: Reader): Parts {
  const { on_group, on_organization } = entry;
  return {
    whom: whomOf(entry, reader),
    group: on_group ? groupOf(on_group, reader) : undefined,
    organization: on_organization ? organizationOf(on_organization, reader) : undefined,
    what: changed(entry),
  };
}

/** onOf is whom and what it was done to. That it was in the organization whose log it is goes without saying. */
function onOf({ chain }: Entry, { whom, group, organization }: Parts): Named[] {
  const most = [whom, group].filter((one) => one !== undefined);
  return organization && (organization.token !== chain || most.length === 0) ? [...most, organization] : most;
}

/** What tells entries of an action apart: the end of the name of their sentence. */
const variants: Readonly<Record<string, (parts: Parts, entry: Entry) => string>> = {
  "audit.read": ({ organization }) => (organization ? "" : "all"),
  "group.delete": ({ group }) => (group?.known ? "" : "gone"),
  "group.read": ({ group }) => (group ? "" : "all"),
  "key.issue": (_, { detail = "" }) => (detail.startsWith("kind=administrative") ? "administrative" : ""),
  "key.list": ({ whom, organization }) => (whom || organization ? "" : "all"),
  "login": (_, { detail = "" }) => (detail.endsWith("first start") ? "first" : ""),
  "member.add": (_, { detail }) => (detail === "pending" ? "pending" : ""),
  "member.remove": (_, { detail, account, on_account }) => {
    if (detail === "pending") return "pending";
    return account === on_account ? "self" : "";
  },
  "message.recall": ({ what }) => (what ? "reason" : ""),
  "more": ({ whom }) => (whom ? "on" : ""),
  "organization.delete": ({ organization }) => (organization?.known ? "" : "gone"),
  "organization.read": ({ whom, organization }) => (whom ? "of" : organization ? "" : "all"),
  "organization.update": ({ what }) => (what ? "" : "plain"),
  "queue.list": ({ organization }) => (organization ? "" : "all"),
  "role.grant": (_, { detail = "" }) => (detail.endsWith(" pending") ? "pending" : detail.startsWith("role=admin") ? "admin" : ""),
  "role.list": ({ whom }) => (whom ? "" : "all"),
  "role.revoke": (_, { detail = "" }) => (detail.startsWith("role=admin") ? "admin" : ""),
  "user.erase": ({ whom }) => (whom?.known ? "" : "gone"),
  "user.lookup": ({ whom }) => (whom ? "" : "all"),
  "user.rename": (_, { new: names }) => (names ? "names" : ""),
  "user.update": ({ what }) => (what ? "" : "plain"),
};

/** doneOf is the text that says what was done. */
function doneOf(entry: Entry, parts: Parts): Text {
  const name = `console.did.${[entry.action, variants[entry.action]?.(parts, entry)].filter(Boolean).join(".")}`;
  return isText(name) ? name : "console.didUnknown";
}

/** triedOf is the text that says what was tried. */
function triedOf({ action }: Entry, on: readonly Named[]): Text {
  if (action === "login" && on[0]?.kind === "account") return "console.triedAs";
  return on.length > 0 ? "console.triedOn" : "console.tried";
}

/** renamed are the old and the new name of those that an entry tells: of the display name, if that is among them. */
function renamed({ old = {}, new: names = {} }: Entry): { old: Named; new: Named } {
  const field = "display_name" in names ? "display_name" : (Object.keys(names)[0] as keyof typeof names | undefined);
  return { old: said((field && old[field]) ?? ""), new: said((field && names[field]) ?? "") };
}

/** sentence is what an entry says, in pieces: what stands between names, and the names. */
export function sentence(entry: Entry, reader: Reader): Piece[] {
  const parts = partsOf(entry, reader);
  const done = entry.outcome === "ok" || entry.action === "row.forged"; // which is never done, only found
  // What one tries to do to oneself says itself.
  const on = onOf(entry, parts).filter(({ kind }) => done || kind !== "");
  const name = done ? doneOf(entry, parts) : triedOf(entry, on);
  const what = name === "console.didUnknown" ? entry.action : parts.what;
  const values = {
    ...parts,
    who: whoOf(entry, reader),
    on: on.flatMap((one, i) => (i > 0 ? [", ", one] : [one])),
    what: what === "" ? undefined : said(what),
    act: actionTitle(entry.action),
    ...renamed(entry),
  };
  return begun(filled(name, values, entry.times));
}

const mark = "\u2068"; // begins a name in a text, and the next sign ends it
const end = "\u2069";

/** filled is a text, in pieces, with its values. */
function filled(name: Text, values: Readonly<Record<string, Piece | Piece[] | undefined>>, n: number): Piece[] {
  const places = Object.fromEntries(Object.keys(values).map((key) => [key, `${mark}${key}${end}`]));
  return text(name, { ...places, n })
    .split(/\u2068(\w+)\u2069/u)
    .flatMap((part, i) => (i % 2 === 0 ? part : (values[part] ?? "–")))
    .filter((part) => part !== "");
}

/** begun begins a sentence with a capital letter, unless a name does not. */
function begun([first, ...rest]: Piece[]): Piece[] {
  if (typeof first === "object" && !first.known) return [{ ...first, words: capital(first.words) }, ...rest];
  return first === undefined ? [] : [first, ...rest];
}

/** plain is a sentence without its parts, for who hears it, and for files. */
export function plain(pieces: readonly Piece[]): string {
  return pieces.map((piece) => (typeof piece === "string" ? piece : piece.words)).join("");
}

/** Why calls are refused, by the code of the error; what is not here was wrong in the request. */
const reasons: Readonly<Record<string, string>> = {
  address_taken: "address",
  administrative_key_required: "administrator", not_administrator: "administrator", operator_required: "administrator",
  credentials_invalid: "signIn", credentials_missing: "signIn",
  exceeds_issuer: "issuer",
  forward_off: "not", not_allowed: "not", not_member: "not", not_sender: "not",
  https_required: "encryption",
  last_administrator: "last",
  legal_hold: "hold",
  name_fixed: "name", name_taken: "name",
  not_found: "nothing", session_missing: "nothing", endpoint_unknown: "nothing",
  origin_refused: "foreign",
  other: "various",
  old_password_wrong: "password", password_wrong: "password",
  password_common: "weak", password_invalid: "weak",
  secret_replaced: "old",
  session_ended: "session",
  too_many_failures: "failures",
};

/** outcome says in words how it ended. */
export function outcome({ outcome: code, action }: Entry): string {
  if (code === "ok") return text("console.outDone");
  if (code === "failed") return text("console.outFailed");
  if (action === "row.forged") return text("console.outRefused");
  const why = `console.why.${reasons[code] ?? "input"}`;
  return isText(why) ? text("console.outRefusedFor", { why: text(why) }) : text("console.outRefused");
}

/** often says how often it was, where entries were put together; the sentences of `more` say it themselves. */
export function often({ times, action }: Entry): string {
  return times > 1 && action !== "more" ? text("console.times", { n: times }) : "";
}
