package webtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// widths are of a phone, a tablet and a desk.
var widths = []int64{360, 800, 1280}

// themed has the page in the light or the dark theme, as if the system asked for it.
func themed(theme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		features := []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: theme}, {Name: "prefers-reduced-motion", Value: "reduce"},
		}
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
		return err
	})
}

// judge is what axe-core finds against WCAG 2.2, A and AA, with the elements concerned.
const judge = `(rules => axe.run(document, {
	runOnly: rules,
	resultTypes: ["violations"],
}).then(({violations}) => violations.map(({id, help, nodes}) => id + ": " + help + ": " + nodes.slice(0, 3)
	.map(({html, any}) => html.slice(0, 200) + " " + (any[0]?.message ?? "")).join("; "))))`

// rules are what is judged: all in the light theme; in the dark one what colours change.
var rules = map[string]string{
	"light": `(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"])`,
	"dark":  `(["color-contrast", "link-in-text-block"])`,
}

// wide are the elements that stick out of the window at its side: nobody scrolls there.
const wide = `[...document.querySelectorAll("body *")].filter((e) => {
	const {right, left, width} = e.getBoundingClientRect();
	if (width === 0 || (right <= innerWidth + 1 && left >= -1)) return false;
	for (let p = e.parentElement; p; p = p.parentElement) {
		if (/auto|scroll|hidden|clip/.test(getComputedStyle(p).overflowX)) return false;
	}
	return !e.closest(".unseen");
}).map((e) => e.outerHTML.slice(0, 120))`

// TestEveryViewIsForEverybody: no view breaks a rule of WCAG 2.2, A and AA, that axe-core can
// see, or sticks out of the window, in either theme, at any of three widths. Where
// SIGNET_TEST_PICTURES names a directory, pictures of all are written there.
func TestEveryViewIsForEverybody(t *testing.T) {
	axe, err := os.ReadFile(filepath.Join(moduleRoot, "web", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	h := mustBuildHospital(t)
	everyView(t, h, func(b browser, v view) {
		b.do(chromedp.Evaluate[chromedp.Void](string(axe) + "; undefined"))
		for _, theme := range []string{"light", "dark"} {
			for _, width := range widths {
				where := fmt.Sprintf("%s-%s-%d", v.name, theme, width)
				b.do(themed(theme), chromedp.EmulateViewport(width, 800))
				found := ask[[]string](b, judge+rules[theme], chromedp.EvalAwaitPromise)
				for _, problem := range append(found, ask[[]string](b, wide)...) {
					t.Errorf("%s: %s", where, problem)
				}
				b.picture(where)
			}
		}
		b.do(chromedp.EmulateViewport(1280, 800))
	})
}

// ask returns what an expression is worth on the page.
func ask[T any](b browser, expression string, options ...chromedp.EvaluateOption) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, options...))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// strange are the texts of a page that are in no dictionary: in the pseudo-language all that
// is from one stands in brackets. What people wrote has dir=auto, and times are no words.
const strange = `(() => {
	const found = [];
	const look = (words, element) => {
		const rest = words.replace(/\[[^\[\]]*(\[[^\]]*\][^\[\]]*)*\]/g, "");
		const free = "time, [dir=auto], [lang=en], [translate=no], bdi, option, script, style, .avatar, code, pre";
		if (/\p{L}{2}/u.test(rest) && !element.closest(free))
			found.push(words + " in " + element.outerHTML.slice(0, 120));
	};
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walker.nextNode()) look(walker.currentNode.data, walker.currentNode.parentElement);
	for (const name of ["aria-label", "title", "placeholder", "alt"])
		for (const element of document.querySelectorAll("[" + name + "]")) look(element.getAttribute(name), element);
	return found;
})()`

// TestEveryTextIsFromADictionary finds what would stay in English.
func TestEveryTextIsFromADictionary(t *testing.T) {
	h := mustBuildHospital(t)
	everyView(t, h, func(b browser, v view) {
		for _, problem := range ask[[]string](b, strange) {
			if words, _, _ := strings.Cut(problem, " in <"); !slices.Contains(names, words) {
				t.Errorf("%s: %s", v.name, problem)
			}
		}
	}, chromedp.Flag("lang", "en-XA"), chromedp.Flag("accept-lang", "en-XA"))
}
