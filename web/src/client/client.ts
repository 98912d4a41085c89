import { Administration } from "./administration.js";
import { once, type Options } from "./base.js";
import type { Download, DownloadOptions } from "./download.js";
import { Pages } from "./pages.js";
import { follow, type StreamOptions } from "./stream.js";
import { base64, type Call, type CallOptions, type ClientOptions, type Credentials, Transport } from "./transport.js";
import type { Body, Reply, SignetEvent } from "./types.js";

/**
 * Client makes the calls of the interface with one key, or with the session of the page. It has a
 * method for each operation of the OpenAPI document, by its operationId: the parts of the path come
 * first, then the fields of the body, then the rest. A user is named by any address, oneself by `me`.
 *
 * Calls reject with a SignetError where the server refuses, with a ConnectionError where no answer
 * came, and with the reason of the signal where that is aborted. What may be made twice without
 * harm is repeated a few times before.
 */
export class Client extends Administration {
  /** The lists, entry by entry, over as many pages as it takes. */
  readonly each = new Pages(this);

  constructor(options: ClientOptions | Transport = {}) {
    super(options instanceof Transport ? options : new Transport(options));
  }

  /** Signs in with a user's password, and returns a client with the key that this gives (POST /v5/login). */
  static async signIn(
    username: string,
    password: string,
    options: ClientOptions & { signal?: AbortSignal; device_id?: string } = {},
  ): Promise<Client> {
    const { signal, device_id, ...rest } = options;
    const body = device_id === undefined ? {} : { device_id };
    const credentials = { key: username, secret: password };
    const { auth } = await new Client(rest).loginV5(credentials, body, signal && { signal });
    return new Client({ ...rest, credentials: auth });
  }

  /** Returns a client that names the organization, by its token, in its calls. */
  in(organization: string): Client {
    return new Client(this.transport.with({ organization }));
  }

  /**
   * Follows the account's events (GET /v2/events): first those in its queue, then each as it happens,
   * in queue order. A lost, silent or refused connection is made again, with growing pauses, from the
   * event on that was seen last.
   *
   * The loop ends when its consumer ends it; else by throwing the signal's reason, or a refusal that no
   * new attempt would change, such as 401 once the key is revoked. With closeAfterReplay it ends
   * without an error.
   *
   * An account may have so many streams open (limits.streams_per_account). One that is closed because
   * there are more reads the queue by polls for a minute, and is a stream again after that. In this
   * minute there is neither typing nor presence, nor are there copies of what the account sends. With
   * deliver, and with noReplay as long as no event has come, it waits instead.
   */
  events(options: StreamOptions = {}): AsyncGenerator<SignetEvent, void, void> {
    const calls = {
      once: (call: Call) => this.transport.once(call),
      header: (name: string) => this.transport.header(name),
      poll: (given: Parameters<Client["getEvents"]>[0]) => this.getEvents(given),
      ack: (ids: string[], signal: AbortSignal) => this.ackEvents(ids, { signal }),
    };
    return follow(calls, options);
  }

  // Sign-in.

  /** Signs in with user and password, as older clients do (POST /v2/login). */
  login(
    { key, secret, product = "" }: Credentials & { product?: string },
    body: Body<"login"> = {},
    options?: CallOptions,
  ): Promise<Reply<"login">> {
    const authorization = `XMPP-Simple ${base64(`${product}:${key}:${secret}`)}`;
    return this.post(["login"], body, options, { authorization, once: true });
  }

  /** Signs in with user and password, or key and secret (POST /v5/login). */
  loginV5(credentials: Credentials, body: Body<"loginV5"> = {}, options?: CallOptions): Promise<Reply<"loginV5">> {
    return this.transport.reply({ method: "POST", path: ["v5", "login"], body, credentials, options, once: true });
  }

  /** Ends the key, if it came of a sign-in, and its streams (POST /v2/logout). */
  logout(options?: CallOptions): Promise<void> {
    return this.post(["logout"], undefined, options, once);
  }

  /** Signs the page in, by password or by key: the browser keeps a cookie that no script reads (POST /v2/session). */
  startSession(by: Body<"startSession"> | Credentials, options?: CallOptions): Promise<void> {
    return "key" in by
      ? this.post(["session"], {}, options, { ...once, credentials: by })
      : this.post(["session"], by, options, once);
  }

  /** Shows who is signed in; undefined where nobody is (GET /v2/session). */
  getSession(options?: CallOptions): Promise<Reply<"getSession"> | undefined> {
    return this.get(["session"], options);
  }

  /** Signs the page out (DELETE /v2/session). */
  endSession(options?: CallOptions): Promise<void> {
    return this.delete(["session"], undefined, options);
  }

  /**
   * Makes the session count as an administrative key for 15 minutes, by the password or by such a key
   * (POST /v2/session/elevate).
   */
  elevateSession(by: { password: string } | Credentials, options?: CallOptions): Promise<void> {
    const plain = { ...options, elevate: false };
    return "password" in by
      ? this.post(["session", "elevate"], by, plain)
      : this.post(["session", "elevate"], {}, plain, { credentials: by });
  }

  /**
   * Lists the providers with which one can sign in: those of an email address's domain (`login`), or those that everybody
   * sees (GET /v2/session/providers).
   */
  listProviders(options?: Options<"listProviders">): Promise<Reply<"listProviders">> {
    return this.get(["session", "providers"], options);
  }

  /** Where a browser goes to sign in with a provider (GET /v2/session/oidc/:provider); no program follows it. */
  beginSignIn(provider: string, options?: Options<"beginSignIn">): Promise<void> {
    return this.get(["session", "oidc", provider], options);
  }

  /** Where the provider sends the browser back to (GET /v2/session/oidc/:provider/callback). */
  finishSignIn(provider: string, options?: Options<"finishSignIn">): Promise<void> {
    return this.get(["session", "oidc", provider, "callback"], options);
  }

  /** Begins to elevate the session by its provider, and tells where the browser goes (POST /v2/session/oidc/:provider/elevate). */
  beginElevation(
    provider: string,
    body: Body<"beginElevation"> = {},
    options?: CallOptions,
  ): Promise<Reply<"beginElevation">> {
    return this.post(["session", "oidc", provider, "elevate"], body, { ...options, elevate: false }, once);
  }

  /** Exchanges the code that a browser brought to a program for a key (POST /v2/session/oidc/:provider/key). */
  exchangeSignInCode(
    provider: string,
    body: Body<"exchangeSignInCode">,
    options?: CallOptions,
  ): Promise<Reply<"exchangeSignInCode">> {
    return this.post(["session", "oidc", provider, "key"], body, options, once);
  }

  /** Ends sessions, as the provider itself does (POST /v2/session/oidc/:provider/logout). */
  endProviderSessions(provider: string, body: Body<"endProviderSessions">, options?: CallOptions): Promise<void> {
    return this.post(["session", "oidc", provider, "logout"], body, options, once);
  }

  /** Gives that up (DELETE /v2/session/elevate). */
  lowerSession(options?: CallOptions): Promise<void> {
    return this.delete(["session", "elevate"], undefined, options);
  }

  // Passkeys, which the browser makes and uses: what these calls give and take is WebAuthn's JSON.

  /** Asks for what makes a passkey (POST /v2/user/me/passkey/begin). */
  beginPasskey(options?: CallOptions): Promise<Reply<"beginPasskey">> {
    return this.post(["user", "me", "passkey", "begin"], undefined, options);
  }

  /** Makes the passkey that an authenticator answered with (POST /v2/user/me/passkey/finish). */
  finishPasskey(body: Body<"finishPasskey">, options?: CallOptions): Promise<Reply<"finishPasskey">> {
    return this.post(["user", "me", "passkey", "finish"], body, options, once);
  }

  /** Asks for what a passkey is to sign, to sign in or to elevate the session (POST /v2/session/passkey/begin). */
  beginPasskeySignIn(options?: CallOptions): Promise<Reply<"beginPasskeySignIn">> {
    return this.post(["session", "passkey", "begin"], undefined, options);
  }

  /** Signs the page in, or elevates its session, with the answer (POST /v2/session/passkey/finish). */
  finishPasskeySignIn(body: Body<"finishPasskeySignIn">, options?: CallOptions): Promise<void> {
    return this.post(["session", "passkey", "finish"], body, options, once);
  }

  // Server.

  /** Shows what the house that runs the server calls itself (GET /v2/brand). */
  getBrand(options?: CallOptions): Promise<Reply<"getBrand">> {
    return this.get(["brand"], options);
  }

  /** Opens its logo, where it has one (GET /v2/brand/logo). */
  getBrandLogo(options?: CallOptions & DownloadOptions): Promise<Download> {
    return this.download(["brand", "logo"], options);
  }

  /** Shows that the server lives: `ok` (GET /healthz). */
  getHealth(options?: CallOptions): Promise<string> {
    return this.text("healthz", options);
  }

  /** Shows that the server takes calls (GET /readyz). */
  getReadiness(options?: CallOptions): Promise<string> {
    return this.text("readyz", options);
  }

  /** Returns the OpenAPI document (GET /openapi.json). */
  async getDocument(options?: CallOptions): Promise<Record<string, unknown>> {
    return JSON.parse(await this.text("openapi.json", options)) as Record<string, unknown>;
  }

  /** Returns it for readers of OpenAPI 3.0 (GET /openapi-3.0.json). */
  async getDocument30(options?: CallOptions): Promise<Record<string, unknown>> {
    return JSON.parse(await this.text("openapi-3.0.json", options)) as Record<string, unknown>;
  }

  private async text(path: string, options?: CallOptions): Promise<string> {
    const { response, watch } = await this.transport.open({ method: "GET", path: [path], options });
    try {
      return await response.text();
    } finally {
      watch.stop();
    }
  }
}
