import type { Watch } from "./watch.js";

/** How far a transfer is, in bytes. */
export interface Progress {
  loaded: number;
  /** Undefined if the server did not say. */
  total: number | undefined;
}

/** A body that is ready to be sent, and sent again. */
export type Payload = { json: string } | { form: FormData } | undefined;

const pieceBytes = 64 << 10;

/** encode makes a body of fields: JSON, or multipart where one is a file. */
export function encode(fields: object | undefined): Payload {
  if (fields === undefined) return undefined;
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  if (!entries.some(([, value]) => value instanceof Blob)) return { json: JSON.stringify(Object.fromEntries(entries)) };
  const form = new FormData();
  for (const [name, value] of entries) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item instanceof Blob) form.append(name, item, item instanceof File ? item.name : "file");
      else form.append(name, typeof item === "object" ? JSON.stringify(item) : String(item));
    }
  }
  return { form };
}

/** One attempt's request. */
export interface Attempt {
  url: string;
  init: RequestInit & { headers: Headers; method: string };
  watch: Watch;
  onProgress: ((progress: Progress) => void) | undefined;
}

/**
 * upload sends a form and reports its progress. Pages use XMLHttpRequest: a browser's fetch reports
 * no progress, and takes no stream over HTTP/1.1.
 */
export async function upload(form: FormData, attempt: Attempt, send: typeof fetch): Promise<Response> {
  if (typeof XMLHttpRequest !== "undefined") return uploadByPage(form, attempt);
  const encoded = new Response(form);
  const { headers } = attempt.init;
  headers.set("Content-Type", encoded.headers.get("Content-Type") ?? "");
  const bytes = await encoded.blob();
  headers.set("Content-Length", String(bytes.size));
  return send(attempt.url, { ...attempt.init, body: counted(bytes, attempt), duplex: "half" } as RequestInit);
}

/** counted reads bytes in pieces, as they are sent, and tells how many were. */
function counted(bytes: Blob, { watch, onProgress }: Attempt): ReadableStream<Uint8Array> {
  let loaded = 0;
  return new ReadableStream(
    {
      async pull(out) {
        watch.touch();
        if (loaded > 0) onProgress?.({ loaded, total: bytes.size });
        if (loaded === bytes.size) return out.close();
        const piece = await bytes.slice(loaded, loaded + pieceBytes).arrayBuffer();
        loaded += piece.byteLength;
        out.enqueue(new Uint8Array(piece));
      },
    },
    { highWaterMark: 0 },
  );
}

function uploadByPage(form: FormData, { url, init, watch, onProgress }: Attempt): Promise<Response> {
  return new Promise((resolve, reject) => {
    watch.signal.throwIfAborted(); // which tells nobody of an abort that was before
    const request = new XMLHttpRequest();
    request.open(init.method, url);
    request.responseType = "arraybuffer";
    init.headers.forEach((value, name) => request.setRequestHeader(name, value));
    request.upload.onprogress = (event) => {
      watch.touch();
      onProgress?.({ loaded: event.loaded, total: event.lengthComputable ? event.total : undefined });
    };
    request.onload = () => {
      const headers = new Headers();
      for (const line of request.getAllResponseHeaders().trim().split("\r\n")) {
        const colon = line.indexOf(":");
        if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
      }
      const { status, statusText } = request;
      const body = status === 204 || status === 304 ? null : (request.response as ArrayBuffer);
      resolve(new Response(body, { status, statusText, headers }));
    };
    request.onerror = () => reject(new TypeError("the connection was lost"));
    request.onabort = () => reject(watch.signal.reason);
    watch.signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(form);
  });
}
