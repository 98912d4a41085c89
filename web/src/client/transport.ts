import { encode, upload, type Payload, type Progress } from "./body.js";
import { ProtocolError, refusal, SignetError } from "./error.js";
import { again, defaultRetry, pause, type RetryPolicy } from "./retry.js";
import { lost, Watch } from "./watch.js";

/** A key and its secret, or a user and a password. */
export interface Credentials {
  key: string;
  secret: string;
}

/** How a client works. */
export interface ClientOptions {
  /** The server's address, with or without /v2. On a page it is the page's own origin unless set. */
  baseURL?: string;
  /** Left out on a page of the server's own, whose session stands for them. */
  credentials?: Credentials;
  /** The organization of every call, by its token. Needed where the account belongs to several. */
  organization?: string;
  /** What the vendor's headers begin with (`vendor.prefix`): TT unless set. */
  prefix?: string;
  retry?: Partial<RetryPolicy>;
  /** How many milliseconds the server may be silent: 30,000 unless set; 0: for ever. */
  timeout?: number;
  /** In place of the platform's fetch. */
  fetch?: typeof fetch;
  /**
   * Called where the server refuses a call because it takes an administrative key or an elevated session. Once the
   * promise is true the call is made once more; else it rejects with the refusal, or with what the promise rejects with.
   */
  onElevationRequired?: (refusal: SignetError) => Promise<boolean>;
  /**
   * Called before a call is made, which waits for the promise. Where that rejects the call is not made, and rejects with
   * the same reason: for pages that know better than to ask for what is refused.
   */
  beforeCall?: (call: Pick<Call, "method" | "path" | "options">) => Promise<void>;
}

/** What every call takes. */
export interface CallOptions {
  signal?: AbortSignal;
  /** The organization of the call, by its token, in place of the client's. */
  organization?: string;
  /** False: the call does not ask the client's onElevationRequired. Its beforeCall is told of it. */
  elevate?: boolean;
}

/** What a call with a file takes besides. */
export interface UploadOptions {
  /** Told how much of the request is sent, the file's frame included. */
  onProgress?: (progress: Progress) => void;
}

/** One call, before it is sent. */
export interface Call {
  method: string;
  /** Not escaped. */
  path: string[];
  query?: object;
  headers?: Record<string, string | undefined>;
  body?: object | undefined;
  /** Made twice, it would do something twice. */
  once?: boolean;
  /** In place of the client's. */
  credentials?: Credentials | undefined;
  /** A whole header in place of Basic. */
  authorization?: string;
  /** Milliseconds that the server may think beyond the timeout. */
  patience?: number;
  /** In place of the timeout. */
  silence?: number;
  /** Further statuses that are no refusal. */
  ok?: number[];
  options?: (CallOptions & UploadOptions) | undefined;
}

/** An answer with its body unread. Who has it stops the watch. */
export interface Exchange {
  response: Response;
  watch: Watch;
}

const ownOptions = ["signal", "organization", "elevate"]; // of a call, beside its query

/** Transport makes calls: credentials, repeats, typed errors. */
export class Transport {
  readonly base: string;
  readonly #options: ClientOptions;
  readonly #retry: RetryPolicy;

  constructor(options: ClientOptions) {
    const base = options.baseURL ?? (globalThis as { location?: Location }).location?.origin;
    if (base === undefined) throw new TypeError("baseURL is missing");
    const url = new URL(base);
    if (!/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "" || url.hash !== "") {
      throw new TypeError("baseURL is http://host or https://host, without credentials, query and fragment");
    }
    if (options.credentials && /^$|:/.test(options.credentials.key)) {
      throw new TypeError("a key is not empty and holds no colon");
    }
    this.base = url.origin + url.pathname.replace(/\/+$/, "").replace(/\/v2$/, "").replace(/\/+$/, "");
    this.#options = options;
    this.#retry = { ...defaultRetry, ...options.retry };
  }

  /** with returns a transport with other options. */
  with(options: ClientOptions): Transport {
    return new Transport({ ...this.#options, ...options });
  }

  /** header returns the name of one of the vendor's headers. */
  header(name: string): string {
    return `${this.#options.prefix ?? "TT"}-X-${name}`;
  }

  /** reply makes a call and returns its reply; undefined where there is none. */
  async reply<R>(call: Call): Promise<R> {
    const { reply } = await this.answer<R>(call);
    return reply as R;
  }

  /** answer makes a call and returns its reply and its head. */
  async answer<R>(call: Call): Promise<{ reply: R | undefined; status: number; headers: Headers }> {
    return this.#try(call, async (payload) => {
      const { response, watch } = await this.#attempt(call, payload);
      try {
        const { status, headers } = response;
        const text = await response.text();
        if (status !== 200) return { reply: undefined, status, headers };
        const { status: success, reply } = parse(name(call), text) as { status?: unknown; reply?: R };
        if (success !== "success") throw new ProtocolError(`${name(call)}: an answer without success`);
        return { reply, status, headers };
      } catch (error) {
        throw error instanceof ProtocolError ? error : lost(error, watch);
      } finally {
        watch.stop();
      }
    });
  }

  /** open makes a call whose answer is read by the caller, who stops the watch. */
  open(call: Call): Promise<Exchange> {
    return this.#try(call, (payload) => this.#attempt(call, payload));
  }

  /** once makes one attempt. */
  once(call: Call): Promise<Exchange> {
    return this.#attempt(call, encode(call.body));
  }

  /** #try repeats a call that failed, and asks for the elevation that it needs. */
  async #try<T>(call: Call, attempt: (payload: Payload) => Promise<T>): Promise<T> {
    await this.#options.beforeCall?.(call);
    const payload = encode(call.body);
    try {
      return await this.#repeat(call, payload, attempt);
    } catch (error) {
      const asked = call.options?.elevate === false ? undefined : this.#options.onElevationRequired;
      const needs = error instanceof SignetError && error.code === "administrative_key_required";
      if (!asked || !needs || !(await asked(error))) throw error;
    }
    return this.#repeat(call, payload, attempt);
  }

  async #repeat<T>(call: Call, payload: Payload, attempt: (payload: Payload) => Promise<T>): Promise<T> {
    const signal = call.options?.signal;
    for (let n = 1; ; n++) {
      try {
        return await attempt(payload);
      } catch (error) {
        const wait = again(this.#retry, n, call.once ?? false, error);
        if (wait === undefined || signal?.aborted) throw error;
        await pause(wait, signal);
      }
    }
  }

  async #attempt(call: Call, payload: Payload): Promise<Exchange> {
    const headers = this.#headers(call);
    const url = this.#url(call);
    const timeout = this.#options.timeout ?? 30_000;
    const watch = new Watch(call.silence ?? (timeout && timeout + (call.patience ?? 0)), call.options?.signal);
    const send = this.#options.fetch ?? fetch;
    const init = {
      method: call.method,
      headers,
      signal: watch.signal,
      cache: "no-store",
      redirect: "error", // it would make a GET of a POST
      credentials: headers.has("Authorization") && call.credentials === undefined ? "omit" : "same-origin",
    } as const;
    let response: Response;
    try {
      if (payload && "form" in payload) {
        response = await upload(payload.form, { url, init, watch, onProgress: call.options?.onProgress }, send);
      } else {
        if (payload) headers.set("Content-Type", "application/json");
        response = await send(url, payload ? { ...init, body: payload.json } : init);
      }
    } catch (error) {
      const reason = lost(error, watch);
      watch.stop();
      throw reason;
    }
    if ([200, 204, ...(call.ok ?? [])].includes(response.status)) return { response, watch };
    try {
      throw await refusal(name(call), response);
    } finally {
      watch.stop();
    }
  }

  #headers(call: Call): Headers {
    const headers = new Headers();
    const credentials = call.credentials ?? this.#options.credentials;
    const basic = credentials && `Basic ${base64(`${credentials.key}:${credentials.secret}`)}`;
    const authorization = call.authorization ?? basic;
    if (authorization) headers.set("Authorization", authorization);
    const organization = call.options?.organization ?? this.#options.organization;
    if (organization) headers.set(this.header("Organization-Key"), organization);
    for (const [field, value] of Object.entries(call.headers ?? {})) if (value !== undefined) headers.set(field, value);
    return headers;
  }

  #url(call: Call): string {
    const segments = call.path.map((segment) => {
      // An empty segment would name another call, and dots would be resolved away.
      if (segment === "" || segment === "." || segment === "..") {
        throw new TypeError(`${name(call)}: ${JSON.stringify(segment)} cannot be part of a path`);
      }
      return encodeURIComponent(segment);
    });
    const query = new URLSearchParams();
    for (const [field, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined && !ownOptions.includes(field)) query.set(field, String(value));
    }
    return `${this.base}/${segments.join("/")}${query.size > 0 ? `?${query}` : ""}`;
  }
}

/** base64 writes a text's UTF-8. */
export function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

/** newRequestID returns what makes the repeat of a send harmless. */
export function newRequestID(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function parse(call: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ProtocolError(`${call}: the answer is no JSON`, { cause: error });
  }
}

function name(call: Call): string {
  return `${call.method} /${call.path.join("/")}`;
}
