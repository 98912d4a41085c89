// Lengths of time as people write them, and as the interface takes them: in minutes, -1 for ever.

/** How many minutes each unit has. */
export const lengths = { minutes: 1, hours: 60, days: 1440 } as const;

export type Unit = keyof typeof lengths | "never";

export interface Span {
  /** As it is typed. */
  amount: string;
  unit: Unit;
}

/** spanOf is a number of minutes in the largest unit that has it whole, so that it is the same number when it is read. */
export function spanOf(minutes: number | undefined): Span {
  if (minutes === undefined || minutes < 0) return { amount: "", unit: "never" };
  const unit = minutes % lengths.days === 0 ? "days" : minutes % lengths.hours === 0 ? "hours" : "minutes";
  return { amount: String(minutes / lengths[unit]), unit };
}

/** minutesIn is what a form says under a name. */
export function minutesIn(fields: FormData, name: string): number {
  const unit = String(fields.get(`${name}_unit`)) as Unit;
  return unit === "never" ? -1 : Number(fields.get(name)) * lengths[unit];
}
