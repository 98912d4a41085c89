package search

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"signet/internal/store/searchindex"
)

func TestFoldLeavesCaseAndAccentsOut(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"plain", "Bob", "bob"},
		{"sharp s", "Straße", "strasse"},
		{"capital sharp s", "STRAẞE", "strasse"},
		{"Turkish capital i with a dot", "İstanbul", "istanbul"},
		{"Turkish i without a dot, whose capital is that of i", "Işık", "isik"},
		{"Cherokee, whose small letters came later", "Ꭰꭰ", "ꭰꭰ"},
		{"accent composed", "José", "jose"},
		{"accent combining", "Jose\u0301", "jose"},
		{"several marks", "Nguyễn", "nguyen"},
		{"ring", "Åsa", "asa"},
		{"the Ångström sign", "\u212Bsa", "asa"},
		{"the Kelvin sign", "\u212Aarl", "karl"},
		{"ligature", "ﬁona", "fiona"},
		{"ligature in capitals after folding", "ﬃ", "ffi"},
		{"full width", "Ｂｏｂ", "bob"},
		{"Cyrillic", "Йосиф", "иосиф"},
		{"Cyrillic in capitals", "ЩУКА", "щука"},
		{"Greek with a final sigma", "Ὀδυσσεύς", "οδυσσευσ"},
		{"Greek in capitals", "ΟΔΥΣΣΕΥΣ", "οδυσσευσ"},
		{"Han stays", "田中", "田中"},
		{"half width katakana", "ﾀﾅｶ", "タナカ"},
		{"Hangul is decomposed", "김", "\u1100\u1175\u11B7"},
		{"Hebrew without its points", "שָׁלוֹם", "שלום"},
		{"Arabic without its marks", "مُحَمَّد", "محمد"},
		{"stroke", "Łódź", "lodz"},
		{"superscript", "m²", "m2"},
		{"o with a stroke", "BJØRN", "bjorn"},
		{"two letters in one", "Æthelœþ", "aetheloeth"},
		{"Icelandic", "Ðorður", "dordur"},
		{"Vietnamese", "Đặng", "dang"},
		{"Ukrainian", "Ґалаґан", "галаган"},
		{"Persian as Arabic", "علی کریمی", "علي كريمي"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := fold(test.text); got != test.want {
				t.Errorf("fold(%q) = %q, want %q", test.text, got, test.want)
			}
		})
	}
}

func TestFoldMakesTheCasesOfEveryLetterOne(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		for _, other := range []rune{unicode.ToUpper(r), unicode.ToLower(r), unicode.ToTitle(r)} {
			if other != r && fold(string(other)) != fold(string(r)) {
				t.Errorf("fold(%q) = %q, fold(%q) = %q", other, fold(string(other)), r, fold(string(r)))
			}
		}
	}
}

func TestFoldingTwiceChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		once := fold(text)
		if twice := fold(once); twice != once {
			t.Fatalf("fold(%q) = %q, folded again %q", text, once, twice)
		}
	})
}

func TestWordsAreRunsOfLettersAndDigits(t *testing.T) {
	long := strings.Repeat("é", 100)
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", nil},
		{"no letters", " -!- ", nil},
		{"pictures are words", "Ward🏥7 👍", []string{"7", "ward", "🏥", "👍"}},
		{"sorted, each once", "Bob Anna bob", []string{"anna", "bob"}},
		{"a hyphen parts, an apostrophe does not", "O'Brien-Smith", []string{"obrien", "smith"}},
		{"an e-mail address", "bob.smith+x@example.com", []string{"bob", "com", "example", "smith", "x"}},
		{"a phone number", "+15551234567", []string{"15551234567"}},
		{"a combining mark does not part", "Jose\u0301phine", []string{"josephine"}},
		{"Han has no blanks", "田中太郎 医師", []string{"医師", "田中太郎"}},
		{"Cyrillic", "Анна-Мария", []string{"анна", "мария"}},
		{"a fraction is two numbers", "Ward 4½", []string{"2", "41", "ward"}},
		{"a zero width joiner parts", "a\u200Db", []string{"a", "b"}},
		{"as much of a long word as is kept", strings.Repeat("a", 100), []string{strings.Repeat("a", searchindex.MaxWord)}},
		{"no half characters", "a" + strings.Repeat("田", 40), []string{"a" + strings.Repeat("田", 21)}},
		{"marks do not count", long, []string{strings.Repeat("e", searchindex.MaxWord)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := words(test.text); !slices.Equal(got, test.want) {
				t.Errorf("words(%q) = %q, want %q", test.text, got, test.want)
			}
		})
	}
}

func TestWordsHoldNothingThatTheIndexPartsBy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, word := range words(rapid.String().Draw(t, "text")) {
			if word == "" || strings.ContainsAny(word, " \n") || len(word) > searchindex.MaxWord || !utf8.ValidString(word) {
				t.Fatalf("a word is %q", word)
			}
		}
	})
}

// In scripts without blanks a word may begin at every character.
func TestPeopleAreFoundByEveryEndOfTheirName(t *testing.T) {
	scripts := [][]rune{[]rune("张伟田中太郎医師"), []rune("김철수이영희박"), []rune("たなかタナカー"), []rune("สมชายใจดี")}
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.SampledFrom(scripts).Draw(t, "script")
		name := rapid.SliceOfN(rapid.SampledFrom(letters), 1, 10).Draw(t, "name")
		from := rapid.IntRange(0, len(name)-1).Draw(t, "from")
		if !Beginnings(string(name[from:]))("Dr. " + string(name)) {
			t.Fatalf("%q is not found by %q", string(name), string(name[from:]))
		}
	})
}

func TestNamesAreFoundByWhatIsTyped(t *testing.T) {
	for name, texts := range map[string][]string{
		"张伟":            {"张", "伟", "张伟"},
		"김철수":           {"김", "철수", "수"},
		"Bjørn Ålesund": {"bjorn", "alesund", "BJØRN"},
		"Łukasz":        {"lukasz", "łuk"},
		"O’Brien":       {"obrien", "o'brien", "O’Brien", "brien", "o brien"},
		"علی":           {"علي", "على"},
		"Ward 🏥":        {"🏥", "ward"},
	} {
		for _, text := range texts {
			if !Beginnings(text)(name) {
				t.Errorf("%q is not found by %q", name, text)
			}
		}
	}
	for _, text := range []string{"", " ", ".", "-", "%", "\u200b"} {
		if !Beginnings(text)("anybody") || newCriterion(Criterion{Fields: []string{"any"}, Text: text}) != nil {
			t.Errorf("%q is a condition", text)
		}
	}
}

func TestSearchWordsLeavesOutBeginnings(t *testing.T) {
	for text, want := range map[string][]string{
		"mar maria ma": {"maria"},
		"bob ann":      {"ann", "bob"},
		"ma mb m":      {"ma", "mb"},
		"!":            {},
	} {
		if got := searchWords(text); !slices.Equal(got, want) {
			t.Errorf("searchWords(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestDialledReadsTheBeginningOfANumber(t *testing.T) {
	for text, want := range map[string]string{
		"+1 (555) 010-0.1": "155501001",
		"15":               "15",
		"１５":               "15",
		"15a":              "",
		"15,16":            "",
	} {
		if got := dialled(text); got != want {
			t.Errorf("dialled(%q) = %q, want %q", text, got, want)
		}
	}
}
