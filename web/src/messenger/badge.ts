import { siteName } from "../kit/state/brand";

/** badge shows how many messages are unread: in the title, the tab's icon, and on the installed application. */
export function badge(unread: number): void {
  document.title = unread > 0 ? `(${unread}) ${siteName()}` : siteName();
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  const read = (icon && (icon.dataset["read"] ??= icon.href)) ?? "";
  if (icon) icon.href = unread > 0 ? (icon.dataset["unread"] ?? read) : read;
  const { setAppBadge } = navigator as { setAppBadge?: Navigator["setAppBadge"] };
  setAppBadge?.call(navigator, unread).catch(() => undefined); // it is not installed
}
