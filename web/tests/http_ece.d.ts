// What the tests use of http_ece, which has no types of its own.
declare module "http_ece" {
  import type { ECDH } from "node:crypto";

  interface Params {
    version: "aes128gcm";
    privateKey: ECDH;
    authSecret: Buffer;
  }

  const ece: { decrypt(sealed: Buffer, params: Params): Buffer };
  export default ece;
}
