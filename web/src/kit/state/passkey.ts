// Passkeys: what the authenticators of the browser are asked for, and what they answer. It comes when it is needed.
import type { Schemas } from "../../client/index";
import { text } from "../../text/text";
import { client, resumeAll } from "./session";
import { Told } from "./told";

/** answerOf is what an authenticator answered, as the interface takes it. */
async function answerOf(ask: () => Promise<Credential | null>): Promise<Record<string, unknown>> {
  try {
    const answer = await ask();
    if (answer instanceof PublicKeyCredential) return { ...(answer.toJSON() as object) };
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    if (error.name === "InvalidStateError") throw new Told(() => text("passkey.already"));
    if (error.name === "SecurityError") throw new Told(() => text("passkey.elsewhere"));
  }
  throw new Told(() => text("passkey.notDone"));
}

/** makePasskey has the person make a passkey, and gives it a label where there is one. */
export async function makePasskey(label: string): Promise<Schemas["Passkey"]> {
  const asked = (await client.beginPasskey()).publicKey as unknown as PublicKeyCredentialCreationOptionsJSON;
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(asked);
  const credential = await answerOf(() => navigator.credentials.create({ publicKey }));
  const made = await client.finishPasskey({ credential, ...(label && { label }) });
  await resumeAll();
  return made;
}

/** usePasskey signs in with a passkey, or elevates the session that there is. */
export async function usePasskey(): Promise<void> {
  const asked = (await client.beginPasskeySignIn()).publicKey as unknown as PublicKeyCredentialRequestOptionsJSON;
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(asked);
  const credential = await answerOf(() => navigator.credentials.get({ publicKey }));
  await client.finishPasskeySignIn({ credential });
  await resumeAll();
}
