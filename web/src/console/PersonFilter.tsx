import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../kit/Icon";
import { client } from "../kit/state/session";
import { text } from "../text/text";
import { Finder } from "./Finder";
import { findPeople, type Named, personOf } from "./state/named";

/** Of an account: 36 signs, which nobody types. */
const token = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

interface Props {
  /** Whose people are found by the beginnings of words; without one, accounts are by a whole address. */
  organization: string | undefined;
  /** The token of who is chosen; empty: nobody. */
  account: string;
  name: string;
  onChange: (account: string, name: string) => void;
}

/** PersonFilter holds whom a list is about, or finds them. */
export function PersonFilter({ organization, account, name, onChange }: Props) {
  const root = useRef<HTMLDivElement>(null);
  const moved = useRef(false); // what was used is gone: the focus goes to what has taken its place
  const before = useRef(account);
  useLayoutEffect(() => {
    // Or who is chosen was chosen elsewhere, by what is gone with the list of before.
    const lost = account !== "" && account !== before.current && document.activeElement === document.body;
    if (moved.current || lost) root.current?.querySelector<HTMLElement>("input, button")?.focus();
    moved.current = false;
    before.current = account;
  }, [account]);
  const change = (to: string, named = "") => {
    moved.current = true;
    onChange(to, named);
  };
  return (
    <div class="field finder" ref={root}>
      {account === "" ? (
        <Finder
          label={text("console.involved")}
          list={text("console.people")}
          on={organization}
          find={organization ? (words, signal) => findPeople(organization, words, signal) : undefined}
          take={(words) => (!organization || token.test(words) ? whole(words) : undefined)}
          onChoose={(one) => change(one.token, one.name)}
          hint={organization ? undefined : text("console.involvedHint")}
        />
      ) : (
        <>
          <span class="label">{text("console.involved")}</span>
          <button type="button" class="chip" aria-label={text("console.removeFilter", { name })} onClick={() => change("")}>
            <Icon name="person" />
            <bdi>{name}</bdi>
            <Icon name="close" />
          </button>
        </>
      )}
    </div>
  );
}

/** whole is the account of a whole address. */
async function whole(address: string): Promise<Named> {
  if (token.test(address)) return { token: address, name: address, more: "" };
  return personOf(await client.lookupUser(address));
}
