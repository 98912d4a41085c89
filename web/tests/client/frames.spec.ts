// How an event stream is read, wherever it is cut into pieces.
import { Frames } from "#client/sse";
import { expect, test } from "./test.js";

function read(text: string, size: number): { frames: object[]; retry: number | undefined } {
  const bytes = new TextEncoder().encode(text);
  const reader = new Frames();
  const frames: object[] = [];
  for (let at = 0; at < bytes.length; at += size) frames.push(...reader.push(bytes.subarray(at, at + size)));
  return { frames, retry: reader.retry };
}

const cases: { name: string; text: string; frames: object[]; retry?: number }[] = [
  {
    name: "an id belongs to its message",
    text: "id: 1\ndata: a\n\ndata: b\n\n",
    frames: [{ id: "1", data: "a" }, { id: "", data: "b" }],
  },
  {
    name: "lines end by LF, CR, or both",
    text: "data: a\r\ndata: b\rdata: c\n\r\ndata: d\r\r",
    frames: [{ id: "", data: "a\nb\nc" }, { id: "", data: "d" }],
  },
  {
    name: "one blank after the colon is none of the value",
    text: "data:  a\ndata:b\ndata\n\n",
    frames: [{ id: "", data: " a\nb\n" }],
  },
  {
    name: "comments, other fields and empty messages are passed over",
    text: ": signet\n\nevent: x\nid: 1\n\ndata: a\n\n",
    frames: [{ id: "", data: "a" }],
  },
  {
    name: "an unfinished message is none",
    text: "data: a\n\ndata: b\n",
    frames: [{ id: "", data: "a" }],
  },
  {
    name: "what is not ASCII may be cut anywhere",
    text: "\ufeffdata: Schwester Åsa 🩺\n\n",
    frames: [{ id: "", data: "Schwester Åsa 🩺" }],
  },
  {
    name: "the last pause that is a number counts",
    text: "retry: 250\nretry: soon\n\n",
    frames: [],
    retry: 250,
  },
];

for (const { name, text, frames, retry } of cases) {
  test(name, () => {
    for (let size = 1; size <= text.length; size++) {
      expect(read(text, size), `in pieces of ${size}`).toStrictEqual({ frames, retry });
    }
  });
}

test("a message without an end is refused", () => {
  const reader = new Frames();
  const megabyte = new Uint8Array(1 << 20).fill(0x61);
  expect(() => {
    for (let n = 0; n < 6; n++) [...reader.push(megabyte)];
  }).toThrow(RangeError);
});
