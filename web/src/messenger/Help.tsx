import { Dialog } from "../kit/Dialog";
import { text, type Text } from "../text/text";

/** Keys whose names are written in the language of the keyboard. */
const names: Readonly<Record<string, Text>> = {
  Ctrl: "keys.ctrl", Enter: "keys.enter", Escape: "keys.escape", PageDown: "keys.pageDown", PageUp: "keys.pageUp", Shift: "keys.shift",
};

const keys: readonly (readonly [Text, readonly string[]])[] = [
  ["search", ["/", "Ctrl K"]],
  ["keys.next", ["Alt ↓"]],
  ["keys.previous", ["Alt ↑"]],
  ["keys.unread", ["Alt Shift ↓"]],
  ["keys.send", ["Enter"]],
  ["keys.line", ["Shift Enter"]],
  ["keys.messages", ["↑", "↓"]],
  ["toUnread", ["Alt PageUp"]],
  ["toNewest", ["Alt PageDown"]],
  ["reply", ["R"]],
  ["keys.info", ["I"]],
  ["keys.close", ["Escape"]],
  ["keys.help", ["?"]],
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
