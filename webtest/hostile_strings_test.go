package webtest

import "strings"

// hostile are texts that somebody may have for a name, a title or a message, and that would
// set hacked, ask another host, show a dialog, turn a line around or make a page wider, if a
// page took them for more than text.
var hostile = []string{
	`<script>hacked=1</script>`,
	`<img src=x onerror=hacked=1>`,
	`"><svg/onload=hacked=1>`,
	`' autofocus onfocus='hacked=1`,
	`</textarea></title><script>alert(1)</script>`,
	`<iframe src="http://hostile.test/"></iframe>`,
	`<base href="http://hostile.test/">`,
	`<meta http-equiv="refresh" content="0;url=http://hostile.test/">`,
	`<link rel=stylesheet href=http://hostile.test/a.css>`,
	`<style>*{display:none!important}</style>`,
	`<form action=//hostile.test><button autofocus>Sign in again</button></form>`,
	`javascript:hacked=1`,
	`data:text/html,<script>hacked=1</script>`,
	`https://example.org/"onmouseover="hacked=1`,
	`https://example.org/` + strings.Repeat("very-long-path/", 12),
	`[click](javascript:hacked=1) ![](http://hostile.test/x.png)`,
	`//hostile.test/x`,
	`file:///etc/passwd`,
	`&lt;b&gt;&amp;#60;&nbsp;`,
	`%3Cscript%3Ehacked=1%3C/script%3E`,
	`{{constructor.constructor('hacked=1')()}}`,
	"${hacked=1} #{hacked=1} <%= hacked=1 %> `hacked`",
	`{name} {n} {0} %s %d %n $& $1 $'`,
	`'; DROP TABLE accounts; --`,
	`=HYPERLINK("http://hostile.test","x")`,
	`__proto__`,
	`constructor`,
	`null`,
	`undefined`,
	`[object Object]`,
	`-0`,
	"\u202egpj.exe evil\u202c",
	"\u2067right\u2066left\u2069 and no end \u202e",
	`مرحبا <b>bold</b> שלום 123`,
	"Z" + strings.Repeat("\u0300\u0316\u0489", 40) + "algo",
	strings.Repeat("Donaudampfschifffahrtsgesellschaft", 7),
	strings.Repeat("W", 200),
	strings.Repeat("\u200b\u200d\u2060", 60) + "unseen",
	strings.Repeat("👩🏽‍👩🏿‍👧🏻‍👦🏼", 9) + "🏳️‍🌈",
	"\u0007bell\u001b[31mred\u007f\u0085\u009b",
	"line\u2028line\u2029line\ufeff.",
	"\ufdfd\u1242b\U00012031\uffff𒐫⸻꧅",
}

// hacks are what shows that a text was taken for more than one, or does not fit into a
// window of this width.
const hacks = `(width => {
	const found = [];
	if ("hacked" in window) found.push("a text ran");
	if (document.scrollingElement.scrollWidth > width)
		found.push("the page is " + document.scrollingElement.scrollWidth + " pixels wide");
	for (const e of document.querySelectorAll("*")) {
		if (/^(IFRAME|OBJECT|EMBED|BASE|STYLE)$/.test(e.tagName)) found.push("it has " + e.outerHTML.slice(0, 200));
		for (const name of e.getAttributeNames()) {
			if (name.startsWith("on")) found.push("it has " + e.outerHTML.slice(0, 200));
			if (!/^(href|src|action|formaction|data)$/.test(name)) continue;
			const to = new URL(e.getAttribute(name).replace(/^blob:/, ""), location);
			if (to.host !== location.host && !(e.tagName === "A" && /^(https?|mailto|tel):$/.test(to.protocol)))
				found.push("it leads to " + to);
		}
	}
	return found;
})`
