// A line to a server that is cut again and again: each connection after some bytes of what the server says.
import { randomInt } from "node:crypto";
import { type AddressInfo, type Socket, connect, createServer } from "node:net";
import { pipeline } from "node:stream/promises";

/** Cutter is the line, which ends with close. */
export class Cutter {
  #server = createServer({ allowHalfOpen: true }, (near) => void this.#pass(near));
  #sockets = new Set<Socket>();

  /** A connection to a server lasts for between these two numbers of bytes. */
  constructor(readonly to: string, readonly from: number, readonly up: number) {}

  /** open returns where the line begins. */
  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** pass connects a client with the server until enough has passed. */
  async #pass(near: Socket): Promise<void> {
    const { hostname, port } = new URL(this.to);
    const far = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
      socket.on("error", () => undefined); // its end is all that counts
    }
    near.pipe(far);
    const bytes = randomInt(this.from, this.up);
    try {
      await pipeline(far, (said: AsyncIterable<Buffer>) => begin(said, bytes), near, { end: false });
    } catch {
      // one of the two has ended before
    }
    far.destroy();
    if (bytes % 2 === 0) near.resetAndDestroy(); // instead of ended in order
    else near.destroySoon();
  }
}

/** begin is the beginning of what somebody says. */
async function* begin(said: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  for await (const piece of said) {
    const part = piece.subarray(0, bytes);
    yield part;
    bytes -= part.length;
    if (bytes === 0) return;
  }
}
