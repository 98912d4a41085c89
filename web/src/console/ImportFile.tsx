import { Icon } from "../kit/Icon";
import { save } from "../kit/save";
import { text } from "../text/text";
import { fieldName, fieldNames, template } from "./roster";
import type { Importing } from "./state/importing";

/** ImportFile asks for a file, and says what is to be in it. */
export function ImportFile({ importing }: { importing: Importing }) {
  // That of keys is for programs, and is documented: a column has another name than the pages have for it.
  const columns = Object.keys(fieldNames).filter((field) => field !== "issue_key").map((field) => fieldName(field)).join(", ");
  return (
    <>
      <p>{text("console.importHow", { columns })}</p>
      {importing.problem.value && <p role="alert" class="problem">{importing.problem.value()}</p>}
      <div class="acts">
        <ChooseFile importing={importing} label={text("console.chooseFile")} />
        <button
          type="button"
          onClick={() => save("template.csv", new Blob([template()], { type: "text/csv" }))}
        >
          <Icon name="download" /> {text("console.template")}
        </button>
      </div>
      <p class="muted">{text("console.dropFile")}</p>
    </>
  );
}

/** ChooseFile is the button by which a file is chosen. */
export function ChooseFile({ importing, label }: { importing: Importing; label: string }) {
  return (
    <label class="button">
      <Icon name="file" /> {label}
      <input
        class="unseen"
        type="file"
        accept=".csv,.txt,.tsv,text/csv,text/plain,text/tab-separated-values"
        onChange={(event) => {
          const field = event.currentTarget;
          const file = field.files?.[0];
          if (file) void importing.take(file);
          field.value = ""; // so that the same file can be chosen again, once it is corrected
        }}
      />
    </label>
  );
}
