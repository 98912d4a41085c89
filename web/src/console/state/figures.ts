// The figures over time of the installation and of organizations, fetched.
import type { CallOptions } from "../../client/index";
import { client } from "../../kit/state/session";
import { time } from "../../text/clock";
import { align, type Figures } from "./history";
import { asked, type Range, ranges, type Span, week } from "./ranges";
import { kinds, type Outlook, outlookOf } from "./trend";

const storage = [...kinds, "storage_bytes.free"];
const installation = [
  "sent", "copies", "send_p50", "send_p99", "streams", "queued", "oldest_unread", "refused", "memory_bytes", "cpu_seconds", ...storage,
];
const organization = ["sent", "active_people", "read_within_5m", "unread_over_1h", "storage_bytes"];

/** What is shown of the installation in a range. */
export interface Shown {
  readonly range: Range;
  readonly figures: Figures;
  readonly outlook: Outlook | undefined;
}

/** ofInstallation asks for what is shown in a range, and by which line storage grows. */
export async function ofInstallation(range: Range, options: CallOptions): Promise<Shown> {
  const now = time();
  const ask = async (span: Span, names: readonly string[]) => {
    const of = asked(span, now);
    return align(await client.getStatusHistory({ ...options, ...of, names: names.join() }), of);
  };
  const [figures, lately] = await Promise.all([ask(ranges[range], installation), ask(week, storage)]);
  return { range, figures, outlook: outlookOf(lately) };
}

/** ofOrganization asks for the figures of an organization, or for some of them. */
export async function ofOrganization(token: string, span: Span, names: readonly string[] = organization): Promise<Figures> {
  const of = asked(span, time());
  return align(await client.getOrganizationHistory(token, { ...of, names: names.join() }), of);
}
