import { useEffect, useState } from "preact/hooks";
import { House } from "../kit/House";
import { Icon } from "../kit/Icon";
import { Standing, standing } from "../kit/Standing";
import { onAwake, pulse } from "../kit/state/awake";
import { siteName } from "../kit/state/brand";
import { offline, session } from "../kit/state/session";
import { text } from "../text/text";
import { announce, Announcer } from "./Announcer";
import { badge } from "./badge";
import { Conversation } from "./Conversation";
import { ConversationList } from "./ConversationList";
import { hear } from "./hear";
import { useKeys } from "./keys";
import { Details, Help, MessageInfo, NewGroup, Offer, Results, Settings, Vacancies, Welcome } from "./later";
import { tell } from "./notices";
import { OrganizationSwitch } from "./OrganizationSwitch";
import { OwnMenu } from "./OwnMenu";
import { begin, Search } from "./Search";
import { chosen, conversations, current, details, find, loading, place, unread, within } from "./state/conversations";
import { inspected, wide } from "./state/inspected";
import { keyOf } from "./state/key";
import { expire } from "./state/lifetime";
import { catching, follow } from "./state/live";
import { get } from "./state/messages";
import { byName, loadOrganizations } from "./state/organizations";
import { searching } from "./state/search";
import { vacancies } from "./state/vacancies";
import { Urgent } from "./Urgent";

/** Messenger is the list of conversations, beside it the one that is open, and beside that its details. */
export function Messenger() {
  useEffect(() => {
    standing.value = Urgent;
    void follow((message) => {
      void announce(message);
      void tell(message);
      hear(message);
    });
    loadOrganizations().catch(() => undefined); // the next connection asks
    const clock = setInterval(() => {
      pulse();
      expire();
    }, 1000);
    const forgotten = onAwake(expire);
    return () => {
      clearInterval(clock);
      forgotten();
    };
  }, []);
  const [making, setMaking] = useState(false);
  const [setting, setSetting] = useState(false);
  const [helping, setHelping] = useState(false);
  useKeys(() => setHelping(true));
  const who = session.value;
  const admin = who && (who.operator || who.administrator_of.length > 0);
  const count = unread.value;
  useEffect(() => badge(count), [count, siteName()]);
  const open = current.value;
  const about = inspected.value === undefined ? undefined : get(inspected.value);
  const shown = details.value && open;
  return (
    <div class={`messenger${chosen.value === undefined ? "" : " open"}${shown ? " detailed" : ""}`}>
      <div class="above">
        {offline.value && (
          <p class="banner" role="status">
            {text("offline")}
          </p>
        )}
        <Standing />
        <Offer />
        {vacancies.value.length > 0 && <Vacancies />}
      </div>
      <nav aria-label={text("conversations")} aria-busy={loading.value || catching.value > 0}>
        <House />
        <header>
          <div class="who">
            <h1 dir="auto">{session.value?.account.display_name}</h1>
            {byName.value.length === 1 && <p dir="auto">{byName.value[0]?.name}</p>}
          </div>
          {admin && (
            <a class="button icon" href="/console" aria-label={text("consoleTitle")} title={text("consoleTitle")}>
              <Icon name="shield" />
            </a>
          )}
          <button type="button" class="icon" aria-label={text("newGroup")} title={text("newGroup")} onClick={() => setMaking(true)}>
            <Icon name="people" />
          </button>
          <OwnMenu onSettings={() => setSetting(true)} onHelp={() => setHelping(true)} />
        </header>
        <OrganizationSwitch />
        <button type="button" class="primary begin" onClick={begin}>
          <Icon name="edit" /> {text("newMessage")}
        </button>
        <Search />
        {searching.value ? <Results /> : <ConversationList key={within.value} onGroup={() => setMaking(true)} />}
      </nav>
      <main>
        {open ? <Conversation conversation={open} /> : <Nothing token={chosen.value} onGroup={() => setMaking(true)} />}
      </main>
      {setting && (
        <Settings
          onClose={() => setSetting(false)}
          onHelp={() => {
            setSetting(false);
            setHelping(true);
          }}
        />
      )}
      {helping && <Help onClose={() => setHelping(false)} />}
      {making && <NewGroup onClose={() => setMaking(false)} />}
      {about && !wide.value && <MessageInfo message={about} onClose={() => (inspected.value = undefined)} />}
      <Announcer />
      {shown && <Details key={keyOf(shown.organization_id, shown.entity.token)} conversation={shown} />}
    </div>
  );
}

/** Nothing is shown while no conversation is open; the address may name one that the list does not have. */
function Nothing({ token, onGroup }: { token: string | undefined; onGroup: () => void }) {
  const known = !loading.value;
  const organization = place.value;
  const [missing, setMissing] = useState(false);
  useEffect(() => {
    setMissing(false);
    if (token === undefined || !known) return;
    find(token).then((there) => setMissing(!there), () => undefined); // without a connection it is not known
  }, [token, organization, known]);
  return (
    <div class="nothing">
      <Icon name="chat" />
      {known && token === undefined && conversations.value.size === 0 ? (
        <Welcome onGroup={onGroup} />
      ) : (
        <>
          <p>{text(missing ? "unknownConversation" : "choose")}</p>
          <button type="button" onClick={begin}>
            <Icon name="edit" /> {text("writeToSomebody")}
          </button>
        </>
      )}
    </div>
  );
}
