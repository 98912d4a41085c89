package web

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// avoided is a word that the pages do not use, because another one is used for the same thing.
type avoided struct {
	words   string   // a regular expression of what begins a word, of whatever case in English and French
	instead string   // what is written instead
	but     []string // the texts that may use it, which mean something else
}

// held are the texts that tell apart what people delete and what is erased from storage.
var held = []string{
	"console.holdOff", "console.holdOn", "console.holdReleaseWhy", "console.holdSetWhy", "console.sweep",
}

// glossary has the words to avoid in each language, because the pages have another one for the thing. A text that means
// something else by such a word is added to the exceptions.
var glossary = map[string][]avoided{
	"en": {
		{"(some|no|every)body", "someone, no one, everyone, or the noun", nil},
		{"(user name|users?)\\b", "username; person, people, account", nil},
		{"(e-mail|mail)", "email", nil},
		{"log(ged)?[ -]?(in|on|out|off)\\b", "sign in, sign out", nil},
		{"(take|taken|took) back|withdr[ae]w", "recall", nil},
		{"eras(e|ed|es|ing)\\b|wipe", "delete", held},
		{"(chat|thread|room|channel)s?\\b", "conversation, group", nil},
		{"(tenant|customer|house|institution)s?\\b", "organization", nil},
		{"(token|credential)s?\\b", "API key, account ID", nil},
		{"priorit(y|ies)\\b", "urgent", nil},
		{"(is|are) writing\\b|writing…", "typing", nil},
		{"burn|seal", "delete after reading, hidden message", nil},
		{"lifetime|ttl|gone\\b", "expiration, expires", nil},
		{"(made|issue|issued|issues)\\b", "created",
			[]string{"console.did.role.grant.admin", "notedPrivate", "notedPublic"}},
		{"interface", "API", []string{"console.labelExample"}}, // of a laboratory
		{"(endpoint|stream|backlog|sweep|stuck|store)s?\\b", "call, live connection, queue, storage", nil},
		{"(root|superuser)\\b|admins?\\b", "operator, administrator", []string{"console.elevatedUntil", "console.lower"}},
		{"refus", "decline", []string{"console.outRefused", "console.outRefusedFor", "console.webhookRefused"}}, // of a call
		{"rotat", "replace the secret", nil},
		{"please|sorry|oops", "nothing", nil},
		{"cannot|(do|does|did|is|are|was|were|has|have) not\\b", "a contraction",
			[]string{"console.chainBroken", "console.fileLatin", "doNotDisturb", "doNotDisturbMe"}},
	},
	"de": {
		{"([Zz]urückruf|zurückgeruf|zurückzurufen)", "zurückziehen", nil},
		{"(Nutzer|User|user)", "Person, Konto, Benutzername", nil},
		{"(E-mail|Email|email|Mail)", "E-Mail", nil},
		{"([Ll]og(in|out)|[Ee]inlogg|[Ee]ingeloggt|[Aa]uslogg|[Aa]usgeloggt)", "anmelden, abmelden", nil},
		{"(Chat|Thread|Kanal|Raum|Räume)", "Unterhaltung, Gruppe", nil},
		{"Prüfprotokoll", "Audit-Protokoll", nil},
		{"Aufbewahrung", "Löschsperre", nil},
		{"([Ff]reigeben|freigegeben|Freigabe)", "entsperren, genehmigen", nil},
		{"(Lebensdauer|Gültigkeitsdauer)", "Ablaufzeit, läuft ab", nil},
		{"(Priorität|priorisiert)", "dringend", nil},
		{"([Vv]ersiegel)", "verdeckte Nachricht", nil},
		{"(Schnittstelle|Endpunkt|Token|Jeton)", "API, Aufruf, API-Schlüssel, Konto-ID", nil},
		{"([Aa]usstell|ausgestellt)", "erstellen", nil},
		{"(gewöhnlich|rotier|Stream)", "Standard, Geheimnis ersetzen, Live-Verbindung", nil},
		{"(Plattform|Mandant)", "Installation, Organisation", nil},
		{"(du|dich|dir|[Dd]eine?[rnms]?|euch|euer|eure)\\b", "Sie, Ihr", nil},
		{"([Bb]itte|[Ll]eider)\\b", "nothing", nil},
		{"Admins?\\b", "Administrator", nil},
	},
	"fr": {
		{"rappel", "retirer", nil},
		{"priorit", "urgent", nil},
		{"(jeton|token)", "clé API, identifiant du compte", nil},
		{"(mails?\\b|courriel|email)", "adresse e-mail", nil},
		{"(login|logu|s’identifi|s’authentifi)", "se connecter", nil},
		{"(tu|toi|ton|ta|tes|te)\\b", "vous", nil},
		{"(fil de discussion|discussion|salon|chat)", "conversation, groupe", nil},
		{"durée de vie", "expiration", nil},
		{"(veuillez|s’il vous plaît|désolé)", "nothing", nil},
		{"interface", "API", nil},
		{"(scellé|brûl)", "message masqué, supprimer après lecture", nil},
		{"effac", "supprimer", held},
		{"(émis|émettre)", "créer", nil},
		{"(opérateur|root|superutilisateur|admins?\\b)", "exploitant, administrateur", nil},
		{"(locataire|plate-?forme)", "organisation, installation", nil},
		{"(avez|êtes|serez) (été )?(dérangé|connecté|déconnecté|venu|invité|ajouté)",
			"no form that agrees with the reader", nil},
	},
}

// typography says of each language what its texts do not contain.
var typography = map[string]map[string]string{
	"en": {`['"]`: "a straight quotation mark or apostrophe", ` …`: "a blank before an ellipsis"},
	"de": {`['"]`: "a straight quotation mark or apostrophe", `[^ ]…`: "an ellipsis without a blank",
		`“[^„]*“`: "quotation marks that do not pair", `[«»]`: "marks of other languages"},
	"fr": {`['"“”„]`: "quotation marks or apostrophes of other languages", ` …`: "a blank before an ellipsis",
		"[^\u00a0]:": "a colon without U+00A0 before it", "[^\u202f][;?!]": "a mark without U+202F before it",
		"«[^\u00a0]|[^\u00a0]»": "quotation marks without U+00A0 inside"},
}

// everywhere no language has it.
var everywhere = map[string]string{`!`: "an exclamation mark", `\.\.\.`: "three full stops", `  `: "two blanks"}

// worded are all texts of a language by name: the dictionary's, plural forms with their form, and those of the page
// that says that there is no page.
func worded(t *testing.T, language string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name, forms := range mustReadDictionary(t, language).texts {
		for form, words := range forms {
			all[strings.TrimSuffix(name+"/"+form, "/")] = words
		}
	}
	content, err := os.ReadFile(filepath.Join("src", "text", "missing.json"))
	if err != nil {
		t.Fatal(err)
	}
	var missing map[string]map[string]string
	if err := json.Unmarshal(content, &missing); err != nil {
		t.Fatal(err)
	}
	for name, words := range missing[language] {
		all["missing.json "+name] = words
	}
	return all
}

// nameOf is the name of a text without its plural form.
func nameOf(text string) string {
	name, _, _ := strings.Cut(text, "/")
	return name
}

// TestDictionariesUseTheWordsOfTheGlossary: one thing has one word in each language, and an exception is needed.
func TestDictionariesUseTheWordsOfTheGlossary(t *testing.T) {
	for _, language := range languages {
		texts := worded(t, language)
		begin := `(?:^|[^\p{L}\d-])(?:`
		if language != "de" { // where a noun is told by its case
			begin = "(?i)" + begin
		}
		for _, word := range glossary[language] {
			found := regexp.MustCompile(begin + word.words + ")")
			needed := map[string]bool{}
			for _, text := range slices.Sorted(maps.Keys(texts)) {
				words := texts[text]
				if !found.MatchString(words) {
					continue
				}
				needed[nameOf(text)] = true
				if !slices.Contains(word.but, nameOf(text)) {
					t.Errorf("%s: %s is %q; write %s", language, text, words, word.instead)
				}
			}
			for _, name := range word.but {
				if !needed[name] {
					t.Errorf("%s: %q needs no exception from %q", language, name, word.words)
				}
			}
		}
	}
}

// TestDictionariesAreTypeset: each language has its own quotation marks and blanks.
func TestDictionariesAreTypeset(t *testing.T) {
	for _, language := range languages {
		for text, words := range worded(t, language) {
			for _, unwanted := range []map[string]string{everywhere, typography[language]} {
				for pattern, what := range unwanted {
					if regexp.MustCompile(pattern).MatchString(words) {
						t.Errorf("%s: %s is %q: %s", language, text, words, what)
					}
				}
			}
		}
	}
}

// TestDictionariesEndAlike: what is a sentence in one language is one in the others, and what is a label is one.
func TestDictionariesEndAlike(t *testing.T) {
	end := func(words string) string { return regexp.MustCompile(`[.?…:]?$`).FindString(words) }
	english := worded(t, "en")
	for _, language := range languages {
		for text, words := range worded(t, language) {
			if text == "console.number" { // an abbreviation
				continue
			}
			if got, want := end(words), end(english[text]); got != want {
				t.Errorf("%s: %s ends with %q, in English with %q: %q", language, text, got, want, words)
			}
		}
	}
}

// apart are texts that are alike in English, and differ elsewhere by grammar or by where they stand.
var apart = []string{
	"addPeople", "console.act.login", "console.act.logout",
	"console.act.passkey.allow", "console.act.passkey.make", "console.finish", "console.hold", "console.onHold",
	"console.sentCurve", "console.stepMessage", "console.stepPeople",
	"notedLeft", "sendAgain", "signOutDevice", "sound.none",
}

// TestDictionariesTranslateAlike: what is the same in English is the same in every language.
func TestDictionariesTranslateAlike(t *testing.T) {
	english := worded(t, "en")
	for _, language := range languages {
		first := map[string]string{} // the text that says something first, by the English words
		texts := worded(t, language)
		for _, text := range slices.Sorted(maps.Keys(texts)) {
			if slices.Contains(apart, nameOf(text)) {
				continue
			}
			words := strings.ToLower(english[text])
			if other, found := first[words]; !found {
				first[words] = text
			} else if !strings.EqualFold(texts[other], texts[text]) {
				t.Errorf("%s: %s is %q, and %s is %q; in English both are %q",
					language, other, texts[other], text, texts[text], english[text])
			}
		}
	}
}
