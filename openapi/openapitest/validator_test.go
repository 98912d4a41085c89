package openapitest

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestValidatorIsSilentAfterItsTest(t *testing.T) {
	client, url, w := serve(t, success("{}"))
	w.end()
	mustDo(t, client, mustRequest(t, "GET", url+"/v2/user", ""))
	if said := w.said(); said != "" || w.failed {
		t.Errorf("it said %q", said)
	}
}

func TestManyFaultsAreNotAllWrittenOut(t *testing.T) {
	w := &watched{TB: t}
	v := New(w)
	for range 10 * reports {
		v.Event([]byte("{}"))
	}
	if len(w.problems) != reports || !w.failed {
		t.Errorf("%d reports were written, want %d", len(w.problems), reports)
	}
}

func TestLongBodyIsCutInAReport(t *testing.T) {
	w := &watched{TB: t}
	New(w).Event([]byte(`"` + strings.Repeat("x", 1<<20) + `"`))
	if said := w.said(); len(said) > 4096 || !strings.Contains(said, "(1048578 bytes)") {
		t.Errorf("the report has %d bytes: %.200s", len(said), said)
	}
}

func TestReportNamesCallStatusFaultAndBody(t *testing.T) {
	client, url, w := serve(t, success(changed(userReply, `"dnd":false`, `"dnd":1`)))
	mustDo(t, client, mustRequest(t, "GET", url+"/v2/user/me", ""))
	for _, want := range []string{"getUser (GET /v2/user/me), answered with 200,",
		"at '/reply/dnd': got number, want boolean", `"dnd":1`} {
		if said := w.said(); !strings.Contains(said, want) {
			t.Errorf("%q is not in the report:\n%s", want, said)
		}
	}
}

func TestOperationsAreInTheFormOfTheRouter(t *testing.T) {
	all := Operations(t)
	for _, want := range []Operation{
		{"getSelf", http.MethodGet, "/v2/user", "Users"},
		{"putMessageStatus", http.MethodPut, "/v2/message/status", "Messages"},
		{"revokeRole", http.MethodDelete, "/v2/user/:user/organization/:organization/roles/:role", "Administration"},
		{"loginV5", http.MethodPost, "/v5/login", "Sign-in"},
	} {
		if !slices.Contains(all, want) {
			t.Errorf("%v is not among the operations", want)
		}
	}
}

func TestPathsAreFoundAsTheContractHasIt(t *testing.T) {
	d, err := standard()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ method, path, want, values string }{
		{"GET", "/v2/user", "getSelf", ""},
		{"GET", "/v2/user/", "getSelf", ""},
		{"GET", "/v2/user//", "", ""},
		{"GET", "/v2/user/a%2Fb", "getUser", "a/b"},
		{"GET", "/v2/user/doc+test@example.com", "getUser", "doc+test@example.com"},
		{"GET", "/v2/user/%zz", "getUser", "%zz"},
		{"HEAD", "/v2/user", "getSelf", ""},
		{"POST", "/v2/user/bulk", "createUsers", ""},
		{"GET", "/v2/user/bulk", "getUser", "bulk"}, // a user called "bulk"
		{"POST", "/v2/message/typing", "startTyping", ""},
		{"GET", "/v2/message/typing", "", ""}, // 405: the written segment wins
		{"GET", "/v2/message/m1", "getMessage", "m1"},
		{"GET", "/v2/message/status/status", "getMessageStatus", "status"},
		{"DELETE", "/v2/message/typing/a/b", "stopTypingOfSender", "a b"},
		{"GET", "/v2", "", ""},
		{"GET", "/", "", ""},
		{"GET", "", "", ""},
	} {
		got := ""
		place, values := d.paths.find(c.path, c.method)
		if place != nil {
			if op := place.operation(c.method); op != nil {
				got = op.ID
			}
		}
		if got != c.want || strings.Join(values, " ") != c.values {
			t.Errorf("%s %s: got %q %v, want %q %q", c.method, c.path, got, values, c.want, c.values)
		}
	}
}

func BenchmarkExchange(b *testing.B) {
	v := New(b)
	sent := []byte(`{"recipient":"bob","body":"x","ttl":1440}`)
	r, err := http.NewRequestWithContext(b.Context(), "POST", "http://127.0.0.1/v2/message?response_format=message", nil)
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	body := []byte(`{"status":"success","reply":` + messageReply + `}`)
	x := exchange{request: r, status: 200, header: http.Header{}, body: body, length: int64(len(body)),
		sent: &capture{kept: sent, count: int64(len(sent)), complete: true}}
	head(headerOnly(x.header), append([]string{"Content-Type: application/json"}, sentHeaders...)...)
	b.ReportAllocs()
	for b.Loop() {
		v.check(&x)
	}
}
