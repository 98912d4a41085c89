import { useState } from "preact/hooks";
import { Select } from "../kit/Select";
import { text, type Text } from "../text/text";
import { type LanguageName, languages } from "./code/languages";
import type { Operation } from "./code/openapi";
import { type Filled, type Form, formsOf, requestOf } from "./code/request";
import { chooseCode, codeLanguage, reader } from "./reader";
import { Source } from "./Source";
import { Tabs } from "./Tabs";
import { Yours } from "./Yours";

const names: Readonly<Record<Form, Text>> = { json: "docs.plain", file: "docs.withFile", stream: "docs.live" };

const tabs = (Object.keys(languages) as LanguageName[]).map((name) => [name, languages[name].name] as const);

/** Code shows a call in the chosen language, with what the reader filled in. */
export function Code({ call, filled, open = false }: { call: Operation; filled?: Filled; open?: boolean }) {
  const forms = formsOf(call);
  const [form, setForm] = useState<Form>("json");
  const language = codeLanguage.value;
  const words = languages[language].write(requestOf(call, form, reader(), filled));
  return (
    <section class="code" aria-label={text("docs.code")}>
      {forms.length > 1 && (
        <Select
          label={text("docs.form")}
          value={form}
          options={Object.fromEntries(forms.map((one) => [one, text(names[one])])) as Record<Form, string>}
          onChange={setForm}
        />
      )}
      <Tabs label={text("docs.codeLanguage")} tabs={tabs} chosen={language} onChoose={chooseCode}>
        <Source words={words} language={language} label={languages[language].name} />
      </Tabs>
      <Yours open={open} />
    </section>
  );
}
