import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { go } from "../kit/state/route";
import { text, type Text } from "../text/text";
import { ImportColumns } from "./ImportColumns";
import { ImportDone } from "./ImportDone";
import { ChooseFile, ImportFile } from "./ImportFile";
import { ImportRows } from "./ImportRows";
import { importInto, type Importing, type Step } from "./state/importing";

const titles: Readonly<Record<Step, Text>> = {
  file: "console.importFile", columns: "console.importColumns", checking: "console.importChecking",
  checked: "console.importPreview", making: "console.importMaking", made: "console.importDone",
};

/** Where another file may be chosen, or dropped. */
const open: readonly Step[] = ["file", "columns", "checking", "checked"];

/**
 * Import leads from a file to the accounts of many people: what its columns hold, what would become of each row, and
 * what became of it. It goes on while another view is open, which one finds again here.
 */
export function Import({ organization, onDone }: { organization: string; onDone?: () => void }) {
  const importing = importInto(organization);
  const step = importing.step.value;
  const [over, setOver] = useState(false);
  const title = useRef<HTMLHeadingElement>(null);
  const came = useRef(false);
  const halted = importing.problem.value !== undefined;
  useLayoutEffect(() => {
    // What had the focus may be gone with the step before.
    if (came.current && document.activeElement === document.body) title.current?.focus();
    came.current = true;
  }, [step, halted]);
  useEffect(() => {
    importing.shown = true;
    return () => void (importing.shown = false);
  }, [importing]);
  const done = () => {
    importing.restart();
    if (onDone) onDone();
    else go(`/console/organizations/${organization}/people`);
  };
  return (
    <div
      class={over ? "import over" : "import"}
      onDragOver={(event) => {
        event.preventDefault(); // else the browser would show the file in place of the page
        if (open.includes(step)) setOver(true);
        else if (event.dataTransfer) event.dataTransfer.dropEffect = "none";
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const file = event.dataTransfer?.files[0];
        if (file && open.includes(step)) void importing.take(file);
      }}
    >
      <h3 ref={title} tabIndex={-1}>{text(titles[step])}</h3>
      {importing.file.value && step !== "file" && <p class="muted" dir="auto">{importing.file.value}</p>}
      {importing.read.value?.latin && step !== "made" && <p role="status" class="note">{text("console.fileLatin")}</p>}
      {step === "file" && <ImportFile importing={importing} />}
      {step === "columns" && <ImportColumns importing={importing} />}
      {step === "checking" && (
        <Progress importing={importing} words="console.checking" again={() => importing.look()}>
          {importing.problem.value && <ChooseFile importing={importing} label={text("console.chooseOther")} />}
        </Progress>
      )}
      {step === "checked" && <ImportRows importing={importing} onDone={done} />}
      {step === "making" && (
        <Progress importing={importing} words="console.making" again={() => importing.proceed()}>
          <p class="muted">{text(importing.problem.value ? "console.makingStopped" : "console.makingLeave")}</p>
        </Progress>
      )}
      {step === "made" && <ImportDone importing={importing} onDone={done} />}
    </div>
  );
}

/** Progress says how far it has come, and goes on where it was kept from that. */
function Progress(props: { importing: Importing; words: Text; again: () => Promise<void>; children: ComponentChildren }) {
  const { done, all, problem } = props.importing;
  const n = Math.min(done.value + 1, all.value);
  return (
    <>
      <p role="status">
        <progress max={all.value} value={done.value} aria-label={text("console.progress")} />{" "}
        {text(props.words, { n, all: all.value })}
      </p>
      {problem.value && <p role="alert" class="problem">{problem.value()}</p>}
      {problem.value && (
        <p><button type="button" class="primary" onClick={() => void props.again()}>{text("tryAgain")}</button></p>
      )}
      {props.children}
    </>
  );
}
