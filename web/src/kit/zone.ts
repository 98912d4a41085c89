// Time zones: what their clocks show when, and which there are.

const day = 24 * 3_600_000;

const formats = new Map<string, Intl.DateTimeFormat>();

/** readingOf is what the clock of a zone shows at a time, as an input of a date and a time writes it. */
export function readingOf(at: Date, zone: string): string {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat("en-CA", {
      timeZone: zone, hourCycle: "h23",
      year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit",
    });
  formats.set(zone, format);
  const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  return `${part["year"]}-${part["month"]}-${part["day"]}T${part["hour"]}:${part["minute"]}`;
}

/** momentOf is the first time at which the clock of a zone shows something, or has left it out. */
export function momentOf(reading: string, zone: string): Date {
  const shown = Date.parse(`${reading}:00Z`);
  const offset = (at: number) => Date.parse(`${readingOf(new Date(at), zone)}:00Z`) - at;
  const [before, after] = [shown - offset(shown - day), shown - offset(shown + day)];
  const right = [Math.min(before, after), Math.max(before, after)].find((at) => at + offset(at) === shown);
  return new Date(right ?? Math.max(before, after)); // an hour that the clock leaves out
}

/** knows tells whether the browser has a time zone of this name. */
export function knows(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }) !== undefined;
  } catch {
    return false;
  }
}

/** zones are the names of those that people choose from. Not every browser lists UTC. */
export function zones(): readonly string[] {
  return [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone")])];
}

/** ownZone is where the browser is. */
export function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
