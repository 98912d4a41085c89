/** One message of an event stream. */
export interface Frame {
  data: string;
  /** Empty if it has no place in the queue. */
  id: string;
}

/** No message of the interface is longer, in UTF-16 units. */
const longest = 4 << 20;

/**
 * Frames reads an event stream as the HTML standard defines it: lines ended by CR, LF or both,
 * comments, several data lines in one message. An unfinished message at the end is dropped.
 */
export class Frames {
  /** The pause before another connection that the server named last, in milliseconds. */
  retry: number | undefined;
  readonly #decoder = new TextDecoder();
  #rest = "";
  #skipLF = false; // the last line ended with CR: a LF that follows belongs to it
  #data: string[] = [];
  #id = "";

  /** push takes what came, and yields the messages that it completes. */
  *push(bytes: Uint8Array): Generator<Frame, void> {
    let text = this.#decoder.decode(bytes, { stream: true });
    if (text === "") return;
    if (this.#skipLF && text.startsWith("\n")) text = text.slice(1);
    this.#skipLF = text.endsWith("\r");
    // What is left of a line that comes in many pieces is joined to them, and looked at once, at its end.
    const [end = "", ...more] = text.split(/\r\n|\r|\n/);
    const lines = [this.#rest + end, ...more];
    this.#rest = lines.pop() ?? "";
    if (this.#rest.length > longest) throw new RangeError("a message of the stream is too long");
    for (const line of lines) {
      const frame = this.#line(line);
      if (frame) yield frame;
    }
  }

  #line(line: string): Frame | undefined {
    if (line === "") {
      const frame = { data: this.#data.join("\n"), id: this.#id };
      const complete = this.#data.length > 0;
      this.#data = [];
      this.#id = "";
      return complete ? frame : undefined;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "data") this.#data.push(value);
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    else if (field === "retry" && /^\d{1,9}$/.test(value)) this.retry = Number(value);
    return undefined;
  }
}
