// Web Push: what a push service gets, opened and checked by programs that are not ours: http_ece, and Node's OpenSSL.
import { createECDH, createPublicKey, randomBytes, verify } from "node:crypto";
import { type IncomingHttpHeaders, type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import ece from "http_ece";
import { expect, test } from "./fixtures/test.js";

// The push service is on this machine, which the server calls only where its settings say so.
test.use({ serve: ["--egress.push=127.0.0.1", "--egress.networks=127.0.0.1"] });

/** Pushed is what a push service was given. */
interface Pushed {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** PushService takes what is pushed. */
class PushService {
  readonly pushed: Pushed[] = [];
  #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        this.pushed.push({ headers: request.headers, body: Buffer.concat(parts) });
        response.writeHead(201).end();
      });
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** claims reads who a server says that it is (RFC 8292), and fails unless it has signed that with its public key. */
function claims(authorization: string, publicKey: string): Record<string, unknown> {
  const [, head = "", said = "", signature = "", key] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(authorization) ?? [];
  expect(key).toBe(publicKey);
  const point = Buffer.from(publicKey, "base64url"); // 4, x, y
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
  const signer = createPublicKey({ format: "jwk", key: { kty: "EC", crv: "P-256", x, y } });
  const signed = Buffer.from(`${head}.${said}`);
  const signs = { key: signer, dsaEncoding: "ieee-p1363" } as const;
  expect(verify("sha256", signed, signs, Buffer.from(signature, "base64url"))).toBe(true);
  expect(JSON.parse(Buffer.from(head, "base64url").toString())).toEqual({ typ: "JWT", alg: "ES256" });
  return JSON.parse(Buffer.from(said, "base64url").toString()) as Record<string, unknown>;
}

test("a browser reads what is pushed, and its push service knows the server", async ({ hospital }) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const service = new PushService();
  const url = await service.listen();
  try {
    const browser = createECDH("prime256v1");
    const p256dh = browser.generateKeys("base64url", "uncompressed");
    const auth = randomBytes(16);
    await alice.client.subscribe({ endpoint: `${url}/push/1`, keys: { p256dh, auth: auth.toString("base64url") } });
    await bob.tell(alice, "Is bed 12 free?");
    await expect.poll(() => service.pushed.length).toBe(1);
    await bob.tell(alice, { body: "Now, please.", priority: 1 }); // which does not wait for its turn
    await expect.poll(() => service.pushed.length).toBe(2);
    const params = { version: "aes128gcm", privateKey: browser, authSecret: auth } as const;
    const read = service.pushed.map(({ body }) => JSON.parse(ece.decrypt(body, params).toString()) as unknown);
    expect(read).toEqual([{ priority: false, unread_count: 1 }, { priority: true, unread_count: 2 }]);

    const { public_key } = await alice.client.getPush();
    for (const { headers, body } of service.pushed) {
      expect(headers["content-encoding"]).toBe("aes128gcm");
      const said = claims(headers.authorization ?? "", public_key);
      expect(said).toEqual({ aud: url, exp: expect.any(Number) });
      const hours = (Number(said["exp"]) * 1000 - Date.now()) / 3_600_000;
      expect(hours).toBeGreaterThan(1);
      expect(hours).toBeLessThanOrEqual(24);
      const changed = Buffer.from(body);
      changed[changed.length - 1]! ^= 1;
      expect(() => ece.decrypt(changed, params)).toThrow();
    }
  } finally {
    await service.close();
  }
});
