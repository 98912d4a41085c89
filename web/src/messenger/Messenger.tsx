import { useEffect } from "preact/hooks";
import { choose, chosen, conversations, load, newestFirst } from "../state/conversations";
import { follow } from "../state/live";
import { offline, session, signOut } from "../state/session";
import { text } from "../text/text";
import { Avatar } from "../view/Avatar";
import { Conversation } from "../view/Conversation";

/** Messenger is the list of conversations, and beside it the one that is open. */
export function Messenger() {
  useEffect(() => {
    void load().then(follow);
  }, []);
  const open = chosen.value === undefined ? undefined : conversations.value.get(chosen.value);
  const unread = newestFirst.value.reduce((sum, { unread_count }) => sum + unread_count, 0);
  useEffect(() => {
    document.title = unread > 0 ? `(${unread}) ${text("app")}` : text("app");
  }, [unread]);
  return (
    <div class={open ? "messenger open" : "messenger"}>
      {offline.value && (
        <p class="banner" role="status">
          {text("offline")}
        </p>
      )}
      <nav aria-label={text("conversations")}>
        <header>
          <h1>{session.value?.account.display_name}</h1>
          <button type="button" onClick={() => void signOut()}>
            {text("signOut")}
          </button>
        </header>
        {newestFirst.value.length === 0 && <p class="empty">{text("noConversations")}</p>}
        <ul>
          {newestFirst.value.map(({ entity, last_message, unread_count, unread_priority_count }) => (
            <li key={entity.token}>
              <button
                type="button"
                aria-current={entity.token === chosen.value ? "true" : undefined}
                onClick={() => choose(entity.token)}
              >
                <Avatar name={entity.display_name} token={entity.token} />
                <span class="name">{entity.display_name}</span>
                <span class="last">{last_message?.is_recalled ? text("recalled") : last_message?.body}</span>
                {unread_priority_count > 0 && <strong class="priority">{text("priority")}</strong>}
                {unread_count > 0 && (
                  <span class="badge" role="img" aria-label={text("unread", { n: unread_count })}>
                    {unread_count}
                  </span>
                )}
              </button>
            </li>
          ))}
        </ul>
      </nav>
      <main>{open ? <Conversation conversation={open} /> : <p class="empty">{text("choose")}</p>}</main>
    </div>
  );
}
