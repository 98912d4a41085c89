import { type Download, download, type DownloadOptions } from "./download.js";
import { type Call, type CallOptions, Transport } from "./transport.js";
import type { Operation, Query } from "./types.js";

/** What a call takes besides its path and body: its query parameters, and what every call takes. */
export type Options<O extends Operation> = CallOptions & Query<O>;

/** For a call that would do something twice if it were made twice. */
export const once = { once: true };

/** Base is what the methods of a client make their calls with. */
export class Base {
  constructor(protected readonly transport: Transport) {}

  protected get<R>(path: string[], options?: CallOptions): Promise<R> {
    return this.transport.reply({ method: "GET", path: ["v2", ...path], query: options ?? {}, options });
  }

  protected post<R>(path: string[], body?: object, options?: CallOptions, more?: Partial<Call>): Promise<R> {
    return this.transport.reply({ method: "POST", path: ["v2", ...path], body, options, ...more });
  }

  protected delete<R>(path: string[], body?: object, options?: CallOptions, more?: Partial<Call>): Promise<R> {
    return this.transport.reply({ method: "DELETE", path: ["v2", ...path], body, options, ...more });
  }

  protected async download(
    path: string[],
    options: CallOptions & DownloadOptions = {},
    query: Call["query"] = {},
  ): Promise<Download> {
    const { response, watch } = await this.transport.open({
      method: "GET",
      path: ["v2", ...path],
      query,
      headers: { Range: options.range, "If-None-Match": options.ifNoneMatch },
      ok: [206, 304],
      options: { ...options, onProgress: undefined },
    });
    return download(response, watch, options.onProgress);
  }

  /** The value of one of the vendor's headers; empty if it is missing. */
  protected headerOf(headers: Headers, name: string): string {
    return headers.get(this.transport.header(name)) ?? "";
  }
}
