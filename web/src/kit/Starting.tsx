import { Logo } from "./Logo";

/** Starting is what page.html shows before there is a script. It stays until it is known who is signed in. */
export function Starting() {
  return (
    <main class="starting" aria-busy="true">
      <h1>
        <Logo /> {document.title}
      </h1>
    </main>
  );
}
