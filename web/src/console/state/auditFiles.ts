// The audit log as files: for spreadsheets what a filter shows, for a verification the whole of it.
import { formatCSV } from "../../kit/csv";
import { text } from "../../text/text";
import { type Entry, whole } from "./audit";
import { outcome, plain, type Reader, sentence, whoOf } from "./sentence";

/** spreadsheet has a row for each entry: what it says, and all that it holds. */
export function spreadsheet(entries: readonly Entry[], reader: Reader): Blob {
  const titles = [
    text("console.number"), text("console.time"), text("console.entryWords"), text("console.outcome"), text("console.by"),
    text("console.action"), text("console.resultCode"), text("console.detail"), text("console.from"), text("console.usedKey"),
    "account", "on_account", "on_organization", "on_group", "on_key", "request_id", "times",
  ];
  const rows = entries.map((entry) => [
    entry.number, entry.time, plain(sentence(entry, reader)), outcome(entry), whoOf(entry, reader).words,
    entry.action, entry.outcome, entry.detail ?? "", entry.address ?? "", entry.key ?? "",
    entry.account ?? "", entry.on_account ?? "", entry.on_organization ?? "", entry.on_group ?? "", entry.on_key ?? "",
    entry.request_id ?? "", entry.times,
  ]);
  return new Blob([formatCSV([titles, ...rows])], { type: "text/csv" });
}

/** lines is the whole log, as `signet audit export` writes it: what each hash is of, its hash, and the names beside it. */
export async function lines(
  organization: string | undefined, signal: AbortSignal, onProgress: (entries: number) => void,
): Promise<Blob> {
  const parts: string[] = [];
  let n = 0;
  for await (const some of whole(organization, signal)) {
    for (const { hash, old, new: names, ...entry } of some) {
      parts.push(`${JSON.stringify({ entry, hash, ...(names && { names: { old, new: names } }) })}\n`);
    }
    n += some.length;
    onProgress(n);
  }
  return new Blob(parts, { type: "application/jsonl" });
}
