import type { Progress } from "./body.js";
import { lost, type Watch } from "./watch.js";

/** What a download may ask for. */
export interface DownloadOptions {
  /** A part of the file, such as `bytes=0-1023`. */
  range?: string;
  /** The `etag` that one has: what has not changed is not sent again. */
  ifNoneMatch?: string;
  onProgress?: (progress: Progress) => void;
}

/** A file, whose content is read once, or cancelled. */
export interface Download {
  /** The whole (200), a part of it (206), or not changed (304, without content). */
  status: number;
  /** As its sender said it: a page shows nothing in place that is not known to be harmless. */
  type: string;
  /** Bytes of the content. Undefined if the server did not say. */
  size: number | undefined;
  name: string;
  etag: string;
  content: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Reads all of the content. */
  blob(): Promise<Blob>;
}

/** download makes an answer one whose content is watched while it is read. */
export function download(response: Response, watch: Watch, onProgress: DownloadOptions["onProgress"]): Download {
  const { status, headers } = response;
  const type = headers.get("Content-Type") ?? "application/octet-stream";
  const length = headers.get("Content-Length");
  const size = length === null ? undefined : Number(length);
  const content = watched(response.body ?? new Blob([]).stream(), size, watch, onProgress);
  return {
    status,
    type,
    size,
    name: fileName(headers.get("Content-Disposition") ?? ""),
    etag: headers.get("ETag") ?? "",
    content,
    blob: () => new Response(content, { headers: { "Content-Type": type } }).blob(),
  };
}

/** watched passes a content on. The server is watched while somebody reads, not while the reader is busy elsewhere. */
function watched(
  from: ReadableStream<Uint8Array<ArrayBuffer>>,
  total: number | undefined,
  watch: Watch,
  onProgress: DownloadOptions["onProgress"],
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = from.getReader();
  let loaded = 0;
  watch.rest();
  return new ReadableStream(
    {
      async pull(out) {
        watch.touch();
        const { done, value } = await reader.read().catch((error: unknown) => {
          throw lost(error, watch);
        });
        watch.rest();
        if (done) {
          watch.stop();
          out.close();
          return;
        }
        loaded += value.byteLength;
        onProgress?.({ loaded, total });
        out.enqueue(value);
      },
      cancel() {
        watch.stop();
      },
    },
    { highWaterMark: 0 },
  );
}

/** fileName reads both forms of RFC 6266. */
function fileName(disposition: string): string {
  const extended = /filename\*=utf-8''([^;]+)/i.exec(disposition)?.[1];
  if (extended !== undefined) {
    try {
      return decodeURIComponent(extended);
    } catch {
      // the plain form may do
    }
  }
  return /filename="((?:[^"\\]|\\.)*)"/.exec(disposition)?.[1]?.replace(/\\(.)/g, "$1")
    ?? /filename=([^;\s]+)/.exec(disposition)?.[1] ?? "";
}
