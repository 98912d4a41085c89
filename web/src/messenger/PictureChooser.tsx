import { useEffect, useRef, useState } from "preact/hooks";
import { Avatar } from "../kit/Avatar";
import { useProblem } from "../kit/Form";
import { largestPicture } from "../kit/limits";
import { usePassing } from "../kit/usePassing";
import { size } from "../text/format";
import { text } from "../text/text";

const kinds = "image/png,image/jpeg,image/gif,image/webp";

/** PictureChooser shows what is to be the picture of a group or of oneself, and takes another one or none. */
export function PictureChooser(props: {
  of: { token: string; display_name: string; avatar: string };
  value: File | "" | undefined;
  onChange: (to: File | "" | undefined) => void;
}) {
  const { of, value, onChange } = props;
  const picker = useRef<HTMLInputElement>(null);
  const [address, setAddress] = useState<string>();
  const [refused, setRefused] = usePassing();
  const wrong = useProblem("avatar");
  useEffect(() => {
    if (!value) return setAddress(undefined);
    const made = URL.createObjectURL(value);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [value]);
  const choose = (file: File | undefined) => {
    if (!file) return;
    const large = file.size > largestPicture;
    setRefused(large ? text("fileTooLarge", { name: file.name, limit: size(largestPicture), size: size(file.size) }) : "");
    if (!large) onChange(file);
  };
  const problem = refused || wrong;
  return (
    <div class="portray" data-made={value === undefined ? undefined : ""}>
      {address ? (
        <img class="avatar" src={address} alt="" />
      ) : (
        <Avatar name={of.display_name} token={of.token} picture={value === "" ? undefined : of.avatar} />
      )}
      <input
        ref={picker}
        type="file"
        accept={kinds}
        class="unseen"
        tabIndex={-1}
        aria-hidden="true"
        onChange={(event) => {
          choose(event.currentTarget.files?.[0]);
          event.currentTarget.value = "";
        }}
      />
      <button type="button" onClick={() => picker.current?.click()}>
        {text("choosePicture")}
      </button>
      {(value || (value === undefined && of.avatar)) && (
        <button type="button" onClick={() => onChange(of.avatar ? "" : undefined)}>
          {text("removePicture")}
        </button>
      )}
      {problem && <small role="alert" class="problem">{problem}</small>}
    </div>
  );
}
