// Passkeys in a browser. What they are asked for comes when somebody uses one (state/passkey.ts).

const load = () => import("./state/passkey");

/** passkeysWork tells whether the browser knows passkeys as the server asks for them. */
export function passkeysWork(): boolean {
  return typeof PublicKeyCredential !== "undefined" && "parseRequestOptionsFromJSON" in PublicKeyCredential;
}

/** makePasskey has the person make a passkey. */
export async function makePasskey(label: string): Promise<void> {
  await (await load()).makePasskey(label);
}

/** usePasskey signs in with a passkey, or elevates the session that there is. */
export async function usePasskey(): Promise<void> {
  await (await load()).usePasskey();
}
