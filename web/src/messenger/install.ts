// The service worker, which starts the messenger without a connection and shows notifications.
import { go } from "../kit/state/route";

interface Policies {
  createPolicy(name: string, rules: { createScriptURL: (address: string) => string }): {
    createScriptURL(address: string): unknown;
  };
}

const worker = "/sw.js";

/** install has the browser keep the application. One that has no service worker does without. */
export async function install(): Promise<void> {
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer };
  if (!serviceWorker) return;
  serviceWorker.addEventListener("message", ({ data }) => go(String(data))); // a notification was clicked
  const policy = (globalThis as { trustedTypes?: Policies }).trustedTypes?.createPolicy("signet-sw", {
    createScriptURL: (address) => {
      if (address !== worker) throw new TypeError(`${address} is no service worker`);
      return address;
    },
  });
  await serviceWorker.register((policy?.createScriptURL(worker) ?? worker) as string);
}
