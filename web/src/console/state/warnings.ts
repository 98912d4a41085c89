// What an operator has to see to, by what the installation tells of itself. The words are the view's.
import type { Schemas } from "../../client/index";
import type { Outlook } from "./trend";

type Status = Schemas["InstallationStatus"];

/** What the server itself warns of, by its topics. Each has words; what has none is told in the server's. */
const told = [
  "attachments", "attachments_missing", "attachments_unreferenced", "audit", "backlog", "blobs_owner", "clock", "disk",
  "files_open", "keyring", "keyring_copy", "keyring_older", "keyring_owner", "rows_forged", "store",
] as const;

export type Topic =
  | (typeof told)[number]
  | "backupFailed" | "backupMissing" | "backupOld" | "certificateEnded" | "certificateEnds" | "diskFills" | "keysUncopied"
  | "nats" | "notReady" | "other" | "task";

export interface Warning {
  readonly topic: Topic;
  /** It can't wait: people notice already, or something is being lost. */
  readonly urgent: boolean;
  /** When it happened or will, as the words say. */
  readonly at?: string | undefined;
  readonly days?: number;
  readonly name?: string;
  /** What helps, for the command line of the server's machine. */
  readonly command?: string;
  /** What the server says of it, in English. */
  readonly more?: string | undefined;
}

/** What is known beside the status, as far as it is known yet. */
export interface Known {
  readonly outlook?: Outlook | undefined;
  readonly keys?: Keys | undefined;
}

/** Where the key ring is, and whether it was ever copied. */
export interface Keys {
  readonly uncopied: boolean;
  /** The data directory. */
  readonly data: string;
}

const day = 86_400_000;

/** From how many days before its end a certificate is warned of: the server renewed one by itself 16 days before that. */
const certificateNotice = 14;
/** From how many days before a disk is full that is told: time to order another one. */
const diskNotice = 30;
/** After how many days a backup is old. */
const backupNotice = 7;

const urgent: readonly Topic[] = [
  "attachments", "audit", "certificateEnded", "disk", "keyring", "keyring_older", "keyring_owner", "notReady", "rows_forged", "store",
];

const backup = "signet backup /var/backups/signet-$(date +%F)";

const commands: Partial<Readonly<Record<Topic, string>>> = {
  attachments_unreferenced: "signet blobs prune",
  audit: "signet audit verify",
  backupFailed: backup,
  backupMissing: backup,
  clock: "signet clock accept",
  keyring_older: "signet keys import /media/safe/keyring",
  keysUncopied: "signet keys export /media/safe/keyring",
  rows_forged: "signet keys verify",
};

/** warningsOf are what holds now, the urgent ones first. */
export function warningsOf(status: Status, { outlook, keys }: Known = {}): Warning[] {
  const found: Warning[] = [];
  const add = (topic: Topic, more: Partial<Warning> = {}) => {
    const command = commands[topic];
    found.push({ topic, urgent: urgent.includes(topic), ...(command && { command }), ...more });
  };
  const now = Date.parse(status.time);
  const { server } = status;
  if (!server.ready) add("notReady", { more: server.reason });
  for (const { name, up, away_since_time } of server.parts) if (!up) add(name, { at: away_since_time });
  addCertificate(server.certificate_ends_time, now, add);
  for (const { topic, text } of server.warnings) {
    if (found.some((one) => one.topic === topic || (topic === "certificate" && one.topic.startsWith(topic)))) continue;
    const known = told.find((one) => one === topic);
    if (known === "files_open" && keys) add(known, { more: text, command: `chmod -R go-rwx ${quoted(keys.data)}` });
    else add(known ?? "other", { more: text });
  }
  if (outlook) {
    const left = outlook.full * 1000 - now;
    const at = new Date(outlook.full * 1000).toISOString();
    if (left < diskNotice * day && !found.some(({ topic }) => topic === "disk")) add("diskFills", { at, urgent: left < 7 * day });
  }
  addBackup(status.backup, now, add);
  if (keys?.uncopied) add("keysUncopied");
  for (const { name, late, succeeded_time } of server.tasks) if (late) add("task", { name, at: succeeded_time });
  return found.sort((a, b) => Number(b.urgent) - Number(a.urgent));
}

/** quoted is a path as one word of a shell. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

type Add = (topic: Topic, more?: Partial<Warning>) => void;

function addCertificate(ends: string | undefined, now: number, add: Add): void {
  const left = ends === undefined ? Infinity : Date.parse(ends) - now;
  if (left <= 0) add("certificateEnded", { at: ends });
  else if (left < certificateNotice * day) add("certificateEnds", { at: ends, days: Math.ceil(left / day) });
}

/** addBackup judges the backups of the embedded store. Of a database that servers share nothing is known here. */
function addBackup(backup: Status["backup"], now: number, add: Add): void {
  if (!backup) return;
  const { succeeded_time: succeeded, failed_time: failed } = backup;
  if (failed && !(succeeded && succeeded > failed)) add("backupFailed", { at: failed });
  else if (!succeeded) add("backupMissing");
  else if (now - Date.parse(succeeded) > backupNotice * day) {
    add("backupOld", { days: Math.floor((now - Date.parse(succeeded)) / day) });
  }
}

/** keysOf judges by the settings where the key ring is, and asks only where that matters whether it was ever copied. */
export async function keysOf(settings: readonly Schemas["ServerSetting"][], exported: () => Promise<boolean>): Promise<Keys> {
  const value = (key: string) => settings.find((setting) => setting.key === key)?.value ?? "";
  // A ring in a database is in that database's backups, and keyring.copy names another place that has all of it.
  const alone = value("keyring.copy") === "" && !/^postgres(ql)?:/.test(value("keyring"));
  return { uncopied: alone && !(await exported()), data: value("data") };
}
