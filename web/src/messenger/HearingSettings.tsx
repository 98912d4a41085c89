import { Field } from "../kit/Field";
import { Select } from "../kit/Select";
import { text } from "../text/text";
import { trembles } from "./hear";
import { choose, hearing, type Quiet } from "./state/hearing";
import { blocked, play, type Sound } from "./state/sounds";

const usual: Quiet = { from: "22:00", to: "06:00", through: true };

/** HearingSettings are what one hears of on this device, and when. */
export function HearingSettings() {
  const { urgent, other, vibrate, quiet } = hearing.value;
  return (
    <section class="hearing" aria-label={text("sounds")}>
      <h3>{text("sounds")}</h3>
      <SoundChoice label={text("sound.urgent")} value={urgent} onChange={(to) => choose({ urgent: to })} />
      <SoundChoice label={text("sound.other")} value={other} onChange={(to) => choose({ other: to })} />
      {blocked.value && (
        <p role="status" class="problem">
          {text("sound.blocked")}
        </p>
      )}
      {trembles && <Check label={text("vibrate")} checked={vibrate} onChange={(to) => choose({ vibrate: to })} />}
      <Check label={text("quiet.hours")} checked={!!quiet} onChange={(to) => choose({ quiet: to ? usual : undefined })} />
      {quiet && (
        <>
          <div class="pair">
            <Time label={text("quiet.from")} value={quiet.from} onChange={(from) => choose({ quiet: { ...quiet, from } })} />
            <Time label={text("quiet.to")} value={quiet.to} onChange={(to) => choose({ quiet: { ...quiet, to } })} />
          </div>
          <Check
            label={text("quiet.through")}
            checked={quiet.through}
            onChange={(through) => choose({ quiet: { ...quiet, through } })}
          />
        </>
      )}
    </section>
  );
}

function SoundChoice({ label, value, onChange }: { label: string; value: Sound; onChange: (to: Sound) => void }) {
  return (
    <div class="beside">
      <Select<Sound>
        label={label}
        value={value}
        onChange={onChange}
        options={{
          none: text("sound.none"), chime: text("sound.chime"), bell: text("sound.bell"), knock: text("sound.knock"),
          alarm: text("sound.alarm"),
        }}
      />
      <button
        type="button" aria-label={text("tryNamed", { name: label })} aria-disabled={value === "none"}
        onClick={() => void play(value)}
      >
        {text("trySound")}
      </button>
    </div>
  );
}

function Check({ label, checked, onChange }: { label: string; checked: boolean; onChange: (to: boolean) => void }) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  );
}

/** Time is a time of the day. While it is being typed it is none. */
function Time({ label, value, onChange }: { label: string; value: string; onChange: (to: string) => void }) {
  const take = (to: string) => {
    if (to) onChange(to);
  };
  return <Field type="time" label={label} value={value} onInput={(event) => take(event.currentTarget.value)} />;
}
