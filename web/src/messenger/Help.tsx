import { Dialog } from "../kit/Dialog";
import { text, type Text } from "../text/text";

/** Keys whose names are written in the language of the keyboard. */
const names: Readonly<Record<string, Text>> = {
  Ctrl: "keyCtrl", Enter: "keyEnter", Escape: "keyEscape", PageDown: "keyPageDown", PageUp: "keyPageUp", Shift: "keyShift",
};

const keys: readonly (readonly [Text, readonly string[]])[] = [
  ["search", ["/", "Ctrl K"]],
  ["keyNext", ["Alt ↓"]],
  ["keyPrevious", ["Alt ↑"]],
  ["keyUnread", ["Alt Shift ↓"]],
  ["keySend", ["Enter"]],
  ["keyLine", ["Shift Enter"]],
  ["keyMessages", ["↑", "↓"]],
  ["toUnread", ["Alt PageUp"]],
  ["toNewest", ["Alt PageDown"]],
  ["reply", ["R"]],
  ["keyInfo", ["I"]],
  ["keyClose", ["Escape"]],
  ["keyHelp", ["?"]],
];

/** Help tells what the keyboard does. */
export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={text("help")} onClose={onClose}>
      <dl class="keys">
        {keys.map(([name, ways]) => (
          <div key={name}>
            <dt>{text(name)}</dt>
            <dd translate={false}>
              {ways.map((way) => (
                <span key={way}>
                  {way.split(" ").map((key) => {
                    const name = names[key];
                    return <kbd key={key}>{name ? text(name) : key}</kbd>;
                  })}
                </span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
