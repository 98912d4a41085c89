/**
 * A client of the Messaging Service REST Interface, version 2, for browsers and Node.js. It has no
 * dependency. docs/api/typescript.md introduces it.
 */
export type { Progress } from "./body.js";
export type { Options } from "./base.js";
export { Client } from "./client.js";
export type { Download, DownloadOptions } from "./download.js";
export { ConnectionError, ProtocolError, SignetError, SilentError, TooManyStreamsError } from "./error.js";
export type { SendOptions } from "./messaging.js";
export { passing, type RetryPolicy } from "./retry.js";
export type { StreamOptions } from "./stream.js";
export type { CallOptions, ClientOptions, Credentials, UploadOptions } from "./transport.js";
export type * from "./types.js";
