// Leaving the dialogs that are open, for what is more urgent.

function opened(): HTMLDialogElement[] {
  return [...document.querySelectorAll<HTMLDialogElement>("dialog[open]")];
}

const fields = "input:not([type=file]), textarea";

/** wouldLose tells whether something was typed into a dialog that is open, or made in it otherwise (data-made). */
export function wouldLose(): boolean {
  return opened().some(
    (dialog) =>
      dialog.querySelector("[data-made]") !== null ||
      [...dialog.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(fields)].some(isTyped),
  );
}

function isTyped(field: HTMLInputElement | HTMLTextAreaElement): boolean {
  if (field.type === "checkbox" || field.type === "radio") {
    const { checked, defaultChecked } = field as HTMLInputElement;
    return field.closest("form") !== null && checked !== defaultChecked; // elsewhere it is in force at once
  }
  return field.type !== "time" && field.value !== field.defaultValue;
}

/** leaveDialogs closes them, the topmost first, as Escape would. */
export function leaveDialogs(): void {
  for (const dialog of opened().reverse()) dialog.dispatchEvent(new Event("cancel", { cancelable: true }));
}
