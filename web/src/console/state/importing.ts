// Importing people into an organization, from a file to their accounts. It goes on while another view of the console is
// open, and can be continued after the connection was cut: nobody is made twice.
import { signal } from "@preact/signals";
import { describe } from "../../kit/describe";
import { client } from "../../kit/state/session";
import { forgetUnsaved, keepUnsaved } from "../../kit/state/unsaved";
import { toast } from "../../kit/Toasts";
import { size } from "../../text/format";
import { text } from "../../text/text";
import type { Choices } from "./columns";
import { judge, repeats, type Result, type Row } from "./judged";
import { addressesOf, type People, type Person, readPeople } from "./spreadsheet";

/** How many people one call looks at, or makes: few enough that one sees how far it has come. */
const lookedAtOnce = 100;
const madeAtOnce = 50;

/** How many bytes a file may have: more than 100,000 people, as many as the command line takes. */
const largestTable = 64 * 2 ** 20;

export type Step = "file" | "columns" | "checking" | "checked" | "making" | "made";

/** Some of the rows, which one call makes. The call has the same name however often it is made. */
interface Piece {
  id: string;
  rows: readonly number[];
}

/** What the server could not do yet: the call is to be made again. */
class Unfinished extends Error {}

/** Importing is the import into one organization. */
export class Importing {
  readonly step = signal<Step>("file");
  /** How many rows were checked or made, of all that are to be. */
  readonly done = signal(0);
  readonly all = signal(0);
  /** What keeps it from going on, in the language that is in force; undefined: nothing. */
  readonly problem = signal<() => string>();
  readonly file = signal("");
  /** What the file holds; nothing before one was read. */
  readonly read = signal<People>();
  readonly choices = signal<Choices>({});
  readonly rows = signal<readonly Row[]>([]);
  /** The results with the keys that were made have been downloaded. */
  readonly saved = signal(false);
  /** Somebody looks at it. Where nobody does, how it ends is told otherwise. */
  shown = false;

  #bytes = new Uint8Array();
  #turn = 0;
  #looked: Row[] = [];
  #claimed = new Map<string, number>();
  #pieces: Piece[] = [];
  #making = false;

  constructor(readonly organization: string) {}

  /** take reads another file. */
  async take(file: File): Promise<void> {
    this.restart();
    const turn = this.#turn;
    this.file.value = file.name;
    if (file.size > largestTable) {
      this.problem.value = () => text("console.fileLarge", { limit: size(largestTable) });
      return;
    }
    let bytes: Uint8Array<ArrayBuffer>;
    try {
      bytes = new Uint8Array(await file.arrayBuffer());
    } catch { // it is a directory, or was changed since it was chosen
      if (turn === this.#turn) this.problem.value = () => text("console.fileUnreadable");
      return;
    }
    if (turn !== this.#turn) return;
    this.#bytes = bytes;
    await this.#readAgain();
  }

  /** choose says what columns hold, and goes on. */
  async choose(choices: Choices): Promise<void> {
    this.choices.value = choices;
    await this.#readAgain();
  }

  async #readAgain(): Promise<void> {
    const found = readPeople(this.#bytes, this.choices.value);
    if ("problem" in found) {
      const { code, row = 0 } = found.problem;
      const name = code as "empty" | "workbook" | "encoding" | "quote_open"; // the others leave something to be read
      this.problem.value = () => text(`console.file_${name}`, { row: String(row) });
      return;
    }
    this.read.value = found;
    if (found.problems.length > 0) {
      this.step.value = "columns";
      return;
    }
    this.#looked = [];
    this.#claimed.clear();
    this.all.value = found.people.length;
    this.done.value = 0;
    this.step.value = "checking";
    await this.look();
  }

  /** look has the server say what would become of each row; after a failure, of those that are left. */
  async look(): Promise<void> {
    const people = this.read.value?.people ?? [];
    const turn = ++this.#turn;
    this.problem.value = undefined;
    try {
      while (this.#looked.length < people.length) {
        const part = people.slice(this.#looked.length, this.#looked.length + lookedAtOnce);
        const { results } = await client.in(this.organization).createUsers({ users: part.map(asked), dry_run: true });
        if (turn !== this.#turn) return;
        wantAll(results);
        this.#looked.push(...results.map((result, at) => this.#claim(judgeOf(part, at, result))));
        this.done.value = this.#looked.length;
      }
    } catch (error) {
      if (turn === this.#turn) this.problem.value = why(error);
      return;
    }
    this.rows.value = this.#looked;
    this.step.value = "checked";
  }

  /** #claim finds rows of one person that the server has seen in two calls. */
  #claim(row: Row): Row {
    if (row.state !== "new") return row;
    const addresses = addressesOf(row.person);
    for (const address of addresses) {
      const line = this.#claimed.get(address);
      const [field] = address.split(" ");
      if (line !== undefined) return { ...row, state: "wrong", wrong: [repeats(line, field, row.person)] };
    }
    for (const address of addresses) this.#claimed.set(address, row.person.row);
    return row;
  }

  /** make makes those who are new. */
  async make(): Promise<void> {
    if (this.step.value !== "checked") return;
    const fresh = [...this.rows.value.keys()].filter((at) => this.rows.value[at]?.state === "new");
    this.#pieces = [];
    for (let from = 0; from < fresh.length; from += madeAtOnce) {
      this.#pieces.push({ id: crypto.randomUUID(), rows: fresh.slice(from, from + madeAtOnce) });
    }
    this.all.value = fresh.length;
    this.done.value = 0;
    this.step.value = "making";
    keepUnsaved(this.organization, "console.importUnsaved");
    await this.proceed();
  }

  /** proceed makes those who are left. */
  async proceed(): Promise<void> {
    if (this.#making) return;
    this.#making = true;
    this.problem.value = undefined;
    try {
      for (let piece = this.#pieces[0]; piece; piece = this.#pieces[0]) {
        await this.#makePiece(piece);
        this.#pieces.shift();
        this.done.value += piece.rows.length;
      }
    } catch (error) {
      this.problem.value = why(error);
      if (!this.shown) toast(text("console.makingStopped"), { danger: true });
      return;
    } finally {
      this.#making = false;
    }
    this.step.value = "made";
    if (!this.shown) toast(text("console.manyMade", { n: this.rows.value.filter(({ state }) => state === "made").length }));
    if (!this.holdsSecrets()) forgetUnsaved(this.organization);
  }

  async #makePiece({ id, rows }: Piece): Promise<void> {
    const people = rows.flatMap((at) => this.rows.value[at]?.person ?? []);
    const { results } = await client.in(this.organization).createUsers({ users: people.map(asked) }, { request_id: id });
    const next = [...this.rows.value];
    for (const [at, result] of results.entries()) {
      const place = rows[at];
      if (place === undefined || passes(result)) continue;
      const row = judgeOf(people, at, result);
      // The secret of an earlier answer is not told again.
      if (next[place]?.made === undefined) next[place] = row;
    }
    this.rows.value = next;
    wantAll(results);
  }

  /** holdsSecrets tells whether the results have secrets that nobody has saved. */
  holdsSecrets(): boolean {
    return !this.saved.value && this.rows.value.some(({ made }) => made?.api_secret !== undefined);
  }

  /** keep is for results that have been downloaded. */
  keep(): void {
    this.saved.value = true;
    if (this.step.value === "made") forgetUnsaved(this.organization);
  }

  /** restart forgets everything, for another file. */
  restart(): void {
    this.#turn++;
    this.#bytes = new Uint8Array();
    this.#looked = [];
    this.#claimed.clear();
    this.#pieces = [];
    this.choices.value = {};
    this.read.value = undefined;
    this.rows.value = [];
    this.saved.value = false;
    this.problem.value = undefined;
    this.file.value = "";
    this.step.value = "file";
    forgetUnsaved(this.organization);
  }
}

/** asked is a person as the interface takes one. */
function asked({ row: _, problems: __, ...user }: Person): Omit<Person, "row" | "problems"> {
  return user;
}

function judgeOf(people: readonly Person[], at: number, result: Result): Row {
  return judge(people[at] ?? { row: 0 }, result, (index) => people[index]?.row ?? 0);
}

/** passes tells whether a result says nothing of the person: the server could not look, or not yet. */
function passes({ status }: Result): boolean {
  return status === 429 || status >= 500;
}

/** wantAll refuses results of which some are none. */
function wantAll(results: readonly Result[]): void {
  const failed = results.find(passes);
  if (failed) throw new Unfinished(failed.error?.message);
}

/** why says what an attempt failed by. What no call can answer is thrown on. */
function why(error: unknown): () => string {
  const words = () => (error instanceof Unfinished ? text("console.importBusy") : describe(error));
  words();
  return words;
}

const all = new Map<string, Importing>();

/** importInto returns the import into an organization, which may be under way. */
export function importInto(organization: string): Importing {
  const known = all.get(organization);
  if (known) return known;
  const fresh = new Importing(organization);
  all.set(organization, fresh);
  return fresh;
}
