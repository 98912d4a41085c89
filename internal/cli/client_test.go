package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signet/internal/commandline"
)

// The client commands are run here against a server that records requests and
// gives fixed answers; what the real one makes of them is tested with scripts.

func (s *stub) env() []string {
	return []string{"SIGNET_URL=" + s.url, "SIGNET_API_KEY=KEY", "SIGNET_API_SECRET=SECRET"}
}

func TestClientCommands(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "secret.txt")
	if err := os.WriteFile(file, []byte("hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	table := filepath.Join(dir, "people.csv")
	rows := "\ufeffUsername;email; phone;issue_key\r\nann;a@b.c, d@e.f;;\r\n;;;\r\n;;1;true\r\n"
	if err := os.WriteFile(table, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	rota := filepath.Join(dir, "rota.json")
	if err := os.WriteFile(rota, []byte(`{"timezone":"UTC","fallback":["u9"],"on_duty":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args   string // parted by blanks; ~ is a blank in an argument
		want   string // requests, one a line
		stdout string
	}{
		{"org create Ward~3 --ttl 8h --no-forward --set color=red",
			`POST /v2/organization {"color":"red","forward":false,"name":"Ward 3","ttl":480}`, "o1\n"},
		{"org create N --json", `POST /v2/organization {"name":"N"}`, `{"name":"N","token":"o1"}` + "\n"},
		{"org list", "GET /v2/user/me/organization", "o1  N  1 member\n"},
		{"org show o1", "GET /v2/organization/o1", "token     o1\nname      N\nmembers   1\nrequests  0\nttl       60\n"},
		{"org update o1 --name M --max-ttl never --dor", `POST /v2/organization/o1 {"name":"M","max_ttl":-1,"dor":true}`, ""},
		{"org delete o1 --confirm N", `DELETE /v2/organization/o1 {"name":"N"}`, ""},

		{"user create --org o1 --email a@b.c --email d@e.f --username ann --password-file " + file + " --issue-key",
			`POST /v2/user {"username":"ann","emails":["a@b.c","d@e.f"],"password":"hunter2","issue_key":true} @o1`,
			"token       u1\napi_key     k1\napi_secret  s1\n"},
		{"user import " + table + " --organization o1",
			`POST /v2/user/bulk {"users":[{"username":"ann","emails":["a@b.c","d@e.f"]},{"phones":["1"],"issue_key":true}]} @o1`,
			"row 2  u1  made\nrow 4  u1  made before\n"},
		{"user lookup ann@example.com", "GET /v2/user_lookup/ann@example.com",
			"token           u1\nname            Ann Lee\nusername        ann\nemail           ann@example.com\norganization  " +
				"  o1\n" +
				"title           Nurse\ndo not disturb  yes later\ncreated         2026-11-21T08:15:30Z\n"},
		{"user show --org o1 --json", "GET /v2/user/me @o1", ""},
		{"user update --status in~surgery --no-dnd", `POST /v2/user/me/settings {"status":"in surgery","dnd":false}`, ""},
		{"user password u1 --password-file " + file, `POST /v2/user/u1/password {"password":"hunter2"}`, ""},
		{"user add u1 --org o1 --title T", `POST /v2/user/u1/organization {"organization":"o1","title":"T"}`, ""},
		{"user remove u1 --org o1", "DELETE /v2/user/u1/organization/o1", ""},

		{"key create --kind administrative --label Lab --expires-in 90d --messages-per-day 0 " +
			"--allowed-network 192.0.2.0/24,10.1.2.3",
			`POST /v2/user/me/key {"kind":"administrative","label":"Lab","messages_per_day":0,"allowed_networks":["192.0.2.0/24","10.1.2.3"],"expires_in":7776000}`,
			"api_key           k1\napi_secret        s1\nlabel             Lab\nexpires           2026-11-21T08:15:30Z\n" +
				"allowed_networks  192.0.2.0/24,10.1.2.3/32\n"},
		{"key create dir --kind administrative --organization o1",
			`POST /v2/user/dir/key {"kind":"administrative","organization":"o1"}`,
			"api_key       k3\napi_secret    s3\norganization  o1\nscim_token    azM6czM\n"},
		{"key list", "GET /v2/user/me/key", "KEY  KIND     CREATED               LABEL  LAST USED  FROM  DEVICE  " +
			"EXPIRES  NETWORKS  ORGANIZATION  ISSUED BY\nk1   regular  2026-11-21T08:15:30Z  -      -          -     -       " +
			"-        -         -             -\n"},
		{"key label k1 Ward --user u1", `POST /v2/user/u1/key/k1 {"label":"Ward"}`, ""},
		{"key label k1", `POST /v2/user/me/key/k1 {"label":""}`, ""},
		{"key revoke k1 --user u1", "DELETE /v2/user/u1/key/k1", ""},
		{"key rotate k1 --grace 0s", `POST /v2/user/me/key/k1/rotate {"grace":0}`, "api_key     k1\napi_secret  s2\n"},
		{"key rotate k1 --json", `POST /v2/user/me/key/k1/rotate {}`, `{"api_key":"k1","api_secret":"s2"}` + "\n"},

		{"webhook create https://hooks.example.com/x --user u1 --event message --content full --acknowledge",
			`POST /v2/user/u1/webhook {"url":"https://hooks.example.com/x","events":["message"],"content":"full","acknowledge":true,"signature":"v1"}`,
			"webhook  w1\nsecret   whsec_AA==\n"},
		{"webhook list u1", "GET /v2/user/u1/webhook", "WEBHOOK  STATE              URL                          EVENTS  " +
			"CONTENT  ACKNOWLEDGE  LAST SUCCESS  ORGANIZATION  ISSUED BY\n" +
			"w1       disabled (silent)  https://hooks.example.com/x  all     " +
			"thin     false        -             -             -\n"},
		{"webhook show w1 --user u1", "GET /v2/user/u1/webhook/w1",
			"webhook        w1\nurl            https://hooks.example.com/x\n" +
				"state          failing\nevents         message\ncontent        thin\nacknowledge    false\nsignature      v1\n" +
				"created        2026-11-21T08:15:30Z\nlast_success   -\nfailing_since  2026-11-21T08:15:30Z\nfailures       2\n" +
				"next_try       -\ndelivery       2026-11-21T08:15:30Z message refused 503 12ms try 2 e1\n"},
		{"webhook change w1 --user u1 --all-events --enable --no-acknowledge",
			`POST /v2/user/u1/webhook/w1 {"events":[],"acknowledge":false,"enabled":true}`, ""},
		{"webhook change w1 --url https://b.example.com --content thin --disable",
			`POST /v2/user/me/webhook/w1 {"url":"https://b.example.com","content":"thin","enabled":false}`, ""},
		{"webhook resend w1 e7 --user u1", `POST /v2/user/u1/webhook/w1 {"from":"e7"}`, ""},
		{"webhook rotate w1 --user u1 --grace 0s", `POST /v2/user/u1/webhook/w1/rotate {"grace":0}`,
			"webhook     w1\npublic_key  whpk_AA==\n"},
		{"webhook test w1 --user u1", "POST /v2/user/u1/webhook/w1/test {}",
			"delivery  2026-11-21T08:15:30Z webhook.test delivered 204 3ms try 1 -\n"},
		{"webhook delete w1 --user u1", "DELETE /v2/user/u1/webhook/w1", ""},
		{"org identity show o1", "GET /v2/organization/o1/identity", "id                      o1\n" +
			"name                    N\nissuer                  https://login.example.com\nclient_id               signet\n" +
			"has_secret              true\ndomains                 example.com\nconfirmed_domains       \n" +
			"admin_groups            a,b\nprovision               true\npasswords               true\n" +
			"passwords_off           false\nenabled                 true\nshown                   false\n" +
			"tried                   false\nredirect_uri            https://s.example.com/callback\n" +
			"backchannel_logout_uri  https://s.example.com/logout\n"},
		{"org identity set o1 --issuer https://login.example.com --client-id signet --client-secret-variable NONE " +
			"--domain a.example --no-admin-groups --groups-claim roles --provision --no-passwords --forget ann",
			`POST /v2/organization/o1/identity {"issuer":"https://login.example.com","client_id":"signet","client_secret":"",` +
				`"domains":["a.example"],"claims":{"groups":"roles"},"admin_groups":[],"provision":true,"passwords":false,` +
				`"forget":"ann"}`, ""},
		{"org identity set o1 --no-enabled", `POST /v2/organization/o1/identity {"enabled":false}`, ""},
		{"org identity remove o1", "DELETE /v2/organization/o1/identity", ""},

		{"passkey list u1", "GET /v2/user/u1/passkey",
			"PASSKEY  LABEL  CREATED               LAST USED             SYNCED  AT                ORGANIZATION\n" +
				"p1       phone  2026-11-21T08:15:30Z  2026-11-21T09:15:30Z  true    chat.example.com  o1\n" +
				"p2       -      2026-11-21T08:15:30Z  -                     false   chat.example.com  -\n"},
		{"passkey remove p1 --user u1", "DELETE /v2/user/u1/passkey/p1", ""},
		{"passkey remove p1", "DELETE /v2/user/me/passkey/p1", ""},
		{"passkey allow u1", "POST /v2/user/u1/passkey/allow {}", "until  2026-11-22T08:15:30Z\n"},

		{"push show", "GET /v2/push", "on          true\npublic_key  BP4z\n"},
		{"push show --json", "GET /v2/push", `{"on":true,"public_key":"BP4z"}` + "\n"},
		{"push list", "GET /v2/user/me/push", "ID  PUSH SERVICE      DEVICE             CREATED               " +
			"LAST SUCCESS          CURRENT\n" +
			"p1  push.example.net  Chrome on Android  2026-11-21T08:15:30Z  2026-11-21T09:15:30Z  *\n" +
			"p2  push.example.org  -                  2026-11-21T08:15:30Z  -                     -\n"},
		{"push delete p1", "DELETE /v2/user/me/push/p1", ""},

		{"send bob hi --ttl never --dor --priority high --org o1",
			`POST /v2/message {"recipient":"bob","body":"hi","ttl":-1,"dor":true,"priority":1,"sender_organization":"o1","recipient_organization":"o1"}`, "m1\n"},
		{"send bob hi --ttl 90s --request-id r1 --json", `POST /v2/message {"recipient":"bob","body":"hi","ttl":2}`,
			`{"message_id":"m1","ttl":5,"request_id":"r1","repeated":false}` + "\n"},
		{"send bob --attach " + file, "POST /v2/message", "m1\n"},
		{"message show m1", "GET /v2/message/m1", "message         m1\nfrom            u1\nto              u2\nsent        " +
			"    2026-11-21T08:15:30Z\nexpires         -\n" +
			"status          Read\npriority        1\ndelete on read  yes\nattachment      a.png (image/png, 9 bytes)\nbody   " +
			"         two lines\n"},
		{"message status m1", "GET /v2/message/m1/status", "u2  Read  2026-11-21T08:15:30Z\n"},
		{"message read m1 m2", `POST /v2/message/status {"read":["m1","m2"]}`, ""},
		{"message forward m1 carol", `POST /v2/message/m1/forward {"recipient":"carol"}`, "m1\n"},
		{"message recall m1", "DELETE /v2/message/m1", ""},
		{"message confirm m1", `POST /v2/message/status {"confirmed":["m1"]}`, ""},

		{"send bob hi --escalate 5m:carol,dave --escalate 1h:erin --until confirmed",
			`POST /v2/message {"recipient":"bob","body":"hi","escalate_until":"confirmed","escalate":[{"after":5,"to":["carol","dave"]},{"after":60,"to":["erin"]}]}`, "m1\n"},
		{"send bob hi --escalate night", `POST /v2/message {"recipient":"bob","body":"hi","escalate":"night"}`, "m1\n"},
		{"escalation show m1", "GET /v2/message/m1/escalation",
			"until   read\nstate   exhausted\nended   2026-11-21T08:25:30Z\n" +
				"step 1  after 5 minutes  2026-11-21T08:20:30Z  done 2026-11-21T08:20:30Z  u2\nsent    u2               m2\n"},
		{"escalation cancel m1", "DELETE /v2/message/m1/escalation", ""},
		{"escalation policy list o1", "GET /v2/organization/o1/escalation", "night  until confirmed  1 step\n"},
		{"escalation policy show o1 night", "GET /v2/organization/o1/escalation/night",
			"name    night\nuntil   confirmed\nstep 1  after 5 minutes  u2\n"},
		{"escalation policy set o1 night 5m:bob 15:carol,dave --until confirmed",
			`POST /v2/organization/o1/escalation/night {"steps":[{"after":5,"to":["bob"]},{"after":15,"to":["carol","dave"]}],"until":"confirmed"}`, ""},
		{"escalation policy remove o1 night", "DELETE /v2/organization/o1/escalation/night", ""},

		{"events", "GET /v2/events?limit=1000\nGET /v2/events?after=e1&limit=1000",
			"e1 message m1 from u1 (priority) with \"a.png\" \"two\\nlines\"\n"},
		{"events --ack --limit 1 --wait 5s --after e0", "GET /v2/events?after=e0&limit=1&wait=5\nPOST /v2/events/ack " +
			"{\"events\":[\"e1\"]}", "e1 message m1 from u1 (priority) with \"a.png\" \"two\\nlines\"\n"},

		{"unread", "GET /v2/user/me/message/unread_count", "unread            3\nof high priority  1\n"},
		{"unread --json", "GET /v2/user/me/message/unread_count", `{"unread_count":3,"unread_priority_count":1}` + "\n"},
		{"group create u1 u2 --name G --public --metadata a=1 --org o1",
			`POST /v2/group?render_entity=true {"name":"G","members":["u1","u2"],"is_public":true,"metadata":{"a":"1"}} @o1`,
			"g1\n"},
		{"group create --everyone --name All --org o1",
			`POST /v2/group?render_entity=true {"name":"All","members":[],"everyone":true} @o1`, "g1\n"},
		{"group show g1", "GET /v2/group/g1", "token                    g1\nname                     G\ndescription        " +
			"      \norganization             \nmembers                  1\n" +
			"public                   yes\neverybody                no\nrota                     no\n" +
			"history for new members  no\n" +
			"created                  2026-11-21T08:15:30Z\nby                       \n"},
		{"group members g1", "GET /v2/group/g1/members", "u1  Ann Lee\n"},
		{"group add g1 u1 u2", `POST /v2/group/g1/members {"members":["u1","u2"]}`, ""},
		{"group remove g1 me", `POST /v2/group/g1/members/remove {"members":["me"]}`, ""},
		{"group update g1 --members u1,u2 --no-public", `POST /v2/group/g1 {"members":["u1","u2"],"is_public":false}`, ""},
		{"group delete g1", "DELETE /v2/group/g1", ""},
		{"group duty show g1 --from 2026-11-21T00:00:00Z", "GET /v2/group/g1/duty?from=2026-11-21T00%3A00%3A00Z",
			"time zone  Europe/Berlin\non duty    u1                    Ann Lee\n" +
				"turn       2026-11-21T08:00:00Z  2026-11-21T20:00:00Z  u1  Ann Lee\n" +
				"override   2026-11-21T20:00:00Z  2026-11-22T08:00:00Z  u2  \n"},
		{"group duty set g1 u1 u2 --timezone UTC --start 2026-11-30T08:00:00+01:00 --hours 12 --always u3,u4 --fallback u5",
			`POST /v2/group/g1/duty {"timezone":"UTC","rotation":{"accounts":["u1","u2"],"start":"2026-11-30T08:00:00+01:00",` +
				`"hours":12},"always":["u3","u4"],"fallback":["u5"]}`, ""},
		{"group duty set g1 --file " + rota, `POST /v2/group/g1/duty {"timezone":"UTC","fallback":["u9"]}`, ""},
		{"group duty override g1 u3 --from 2026-12-24T08:00:00Z --to 2026-12-25T08:00:00Z",
			"GET /v2/group/g1/duty\n" +
				`POST /v2/group/g1/duty {"timezone":"Europe/Berlin","overrides":[{"from":"2026-11-21T20:00:00Z",` +
				`"to":"2026-11-22T08:00:00Z","account":"u2"},{"from":"2026-12-24T08:00:00Z","to":"2026-12-25T08:00:00Z",` +
				`"account":"u3"}]}`, ""},
		{"group duty calendar g1", "GET /v2/group/g1/duty.ics", "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n"},
		{"group duty end g1", "DELETE /v2/group/g1/duty", ""},
		{"roster", "GET /v2/roster", "TOKEN  KIND     NAME     UNREAD  LAST MESSAGE\nu1     account  Ann Lee  2       " +
			"2026-11-21T08:15:30Z\n"},
		{"roster list --metadata", "GET /v2/roster?render_metadata=true",
			"TOKEN  KIND     NAME     UNREAD  LAST MESSAGE\nu1     account  Ann Lee  2       2026-11-21T08:15:30Z\n"},
		{"roster add g1 --group", `POST /v2/roster {"entity":"g1","type":"tigertext:entity:group"}`, ""},
		{"roster remove u1 --org o1", "DELETE /v2/roster/u1 @o1", ""},
		{"conversation list --org o1", "GET /v2/conversation?page_size=200 @o1",
			"TOKEN  KIND     NAME     UNREAD  LAST MESSAGE\nu1     account  Ann Lee  2       2026-11-21T08:15:30Z\n"},
		{"conversation show u1 --before 9 --limit 7", "GET /v2/conversation/u1/message?before=9&limit=7",
			"SORT NUMBER  SENT                  FROM  STATUS  BODY\n" +
				"0            2026-11-21T08:15:30Z  u1    Read    two lines\n"},
		{"conversation read u1 --up-to 7", `POST /v2/conversation/u1/read {"up_to":7}`, ""},
		{"metadata show u1", "GET /v2/metadata/u1", "a  1\nb  2\n"},
		{"metadata set u1 a=1 b=x=y", `POST /v2/metadata/u1 {"a":"1","b":"x=y"}`, ""},
		{"metadata delete u1", "DELETE /v2/metadata/u1", ""},
		{"search jo~mey --type account --not x --sort=-title --org o1 --limit 7",
			`POST /v2/search {"type":["account"],"directory":["o1"],"sort":["-title"],"page_size":7,"include_disabled":false,"bool":{"must":[{"any":"jo mey"}],"must_not":[{"any":"x"}]},"results_format":"entities"}`,
			"u1  account  Ann Lee\n"},
		{"roles u1 --org o1", "GET /v2/user/u1/organization/o1/roles", "o1  admin\n"},
		{"roles grant me admin --org o1", "POST /v2/user/me/organization/o1/roles/admin", "pending\n"},
		{"roles grant u1 help_desk --org o1", "POST /v2/user/u1/organization/o1/roles/help_desk", "granted\n"},
		{"roles revoke u1 admin --org o1", "DELETE /v2/user/u1/organization/o1/roles/admin", ""},
	} {
		t.Run(tt.args, func(t *testing.T) {
			s := newStub(t)
			args := strings.Split(tt.args, " ")
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "~", " ")
			}
			var stdout, stderr bytes.Buffer
			if code := Run(t.Context(), args, s.env(), &stdout, &stderr); code != exitDone || stderr.Len() > 0 {
				t.Fatalf("exit code %d: %s", code, stderr.String())
			}
			if got := strings.Join(s.requests(), "\n"); got != tt.want {
				t.Errorf("requests:\n got %s\nwant %s", got, tt.want)
			}
			if tt.stdout != "" && stdout.String() != tt.stdout {
				t.Errorf("output:\n got %q\nwant %q", stdout.String(), tt.stdout)
			}
			if tt.stdout == "" && stdout.Len() > 0 && !strings.Contains(tt.args, "--json") {
				t.Errorf("output: got %q, want none", stdout.String())
			}
			if strings.Contains(tt.args, "--json") && !json.Valid(stdout.Bytes()) {
				t.Errorf("output: got %q, want JSON", stdout.String())
			}
			if s.auth != "Basic S0VZOlNFQ1JFVA==" {
				t.Errorf("credentials: got %q", s.auth)
			}
		})
	}
}

func TestClientCommands_say_what_went_wrong(t *testing.T) {
	s := newStub(t)
	s.answers["GET /v2/user/me"] = refused(401, "unauthenticated", "The credentials are wrong.")
	dir := t.TempDir()
	mustWrite := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return filepath.Dir(path)
	}
	garbled := mustWrite("garbled/operator.json", "{")
	lacking := mustWrite("lacking/operator.json", "{}")
	latin := filepath.Join(mustWrite("texts/latin.txt", "gr\xfc\xdfe mit Punkt"), "latin.txt")
	nowhere := mustWrite("nowhere/operator.json", `{"api_key":"KEY","api_secret":"SECRET"}`)
	for _, tt := range []struct {
		args string
		env  []string
		code int
		want string // part of the standard error
	}{
		{"user lookup nobody", s.env(), exitNotFound, "signet: 404 not_found: The associated lookup was not found."},
		{"user show", s.env(), exitCredentials, "signet: 401 unauthenticated: The credentials are wrong."},
		{"user show ..", s.env(), exitWrong, `".." cannot be part of a path`},
		{"user show --data " + dir, nil, exitWrong, "no credentials: there is no " + filepath.Join(dir, "operator.json")},
		{"user show", []string{"SIGNET_DATA=" + dir}, exitWrong, "SIGNET_API_SECRET"},
		{"user show --data " + garbled, nil, exitWrong, "operator.json: "},
		{"user show --data " + lacking, nil, exitWrong, "has no api_key and api_secret"},
		{"user show --data " + nowhere, nil, exitWrong, "has no base_url: start the server once, or set SIGNET_URL"},
		{"user show", []string{"SIGNET_API_KEY=k"}, exitWrong, "go together"},
		{"user show", []string{"SIGNET_URL=example.org", "SIGNET_API_KEY=k", "SIGNET_API_SECRET=s"}, exitWrong,
			"want http://host"},
		{"user show", []string{"SIGNET_URL=http://127.0.0.1:1", "SIGNET_API_KEY=k", "SIGNET_API_SECRET=s"}, exitUnreachable,
			"connection refused"},
		{"user create --username x", s.env(), exitWrong, "missing flags: --org"},
		{"key create --kind root", s.env(), exitWrong, "--kind must be one of"},
		{"key create --expires-in soon", s.env(), exitWrong, "want a duration such as"},
		{"send bob x --ttl soon", s.env(), exitWrong, "or never, not"},
		{"send bob - --attach -", s.env(), exitWrong, "standard input"},
		{"send bob --attach " + filepath.Join(dir, "none"), s.env(), exitFailed, "no such file"},
		{"user import " + filepath.Join(dir, "none") + " --org o1", s.env(), exitWrong, "no such file"},
		{"send", s.env(), exitWrong, "<recipient>"},
		{"events --typing", s.env(), exitWrong, "go with --follow"},
		{"events --follow --wait 5s", s.env(), exitWrong, "--wait does not go with --follow"},
		{"search --limit=-1", s.env(), exitWrong, "0 or more"},
		{"user password --password-file " + filepath.Join(garbled, ".."), s.env(), exitFailed, "is a directory"},
		{"user create --org o1 --display-name J\xf6rg", s.env(), exitWrong, `argument 6, "J\xf6rg", is not UTF-8`},
		{"\xff", s.env(), exitWrong, "argument 1, "},
		{"user update --status\xff=x", s.env(), exitWrong, "argument 3, "},
		{"user password --password-file " + latin, s.env(), exitWrong, "latin.txt: it is not UTF-8"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := Run(t.Context(), strings.Fields(tt.args), tt.env, &stdout, &stderr)
			if code != tt.code || !strings.Contains(stderr.String(), tt.want) || stdout.Len() > 0 {
				t.Errorf("got exit code %d, %q and %q on standard output, want %d and %q", code, stderr.String(), stdout.String(),
					tt.code, tt.want)
			}
			if strings.Contains(stderr.String(), "SECRET\"") {
				t.Errorf("the secret is shown: %s", stderr.String())
			}
		})
	}
}

func TestClientCommands_take_the_credentials_of_operator_json(t *testing.T) {
	s := newStub(t)
	dir := t.TempDir()
	text, _ := json.Marshal(commandline.Credentials{BaseURL: s.url, Key: "OP", Secret: "X"})
	if err := os.WriteFile(filepath.Join(dir, "operator.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		env  []string
		want string
	}{
		{[]string{"--data", dir}, nil, "Basic T1A6WA=="},
		{nil, []string{"SIGNET_DATA=nowhere", "SIGNET_DATA=" + dir}, "Basic T1A6WA=="},
		{[]string{"--data", dir}, []string{"SIGNET_DATA=nowhere"}, "Basic T1A6WA=="},
		{[]string{"--data", dir}, []string{"SIGNET_API_KEY=KEY", "SIGNET_API_SECRET=SECRET"}, "Basic S0VZOlNFQ1JFVA=="},
		{[]string{"--data", dir}, []string{"SIGNET_URL=" + s.url + "/v2/"}, "Basic T1A6WA=="},
	} {
		var stdout, stderr bytes.Buffer
		s.auth = ""
		if code := Run(t.Context(), append([]string{"user", "show"}, tt.args...), tt.env, &stdout,
			&stderr); code != exitDone {
			t.Errorf("%v %v: exit code %d: %s", tt.args, tt.env, code, stderr.String())
		}
		if s.auth != tt.want {
			t.Errorf("%v %v: got the credentials %q, want %q", tt.args, tt.env, s.auth, tt.want)
		}
	}
}

func TestSend_reads_standard_input(t *testing.T) {
	s := newStub(t)
	var stdout bytes.Buffer
	con := &console{env: s.env(), stdin: strings.NewReader("up 3 days\n"), stdout: &stdout, stderr: io.Discard}
	c, err := new(access).ProvideClient(con)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := (&sendCommand{Recipient: "bob", Body: "-"}).Run(t.Context(), con, c); err != nil {
		t.Fatal(err)
	}
	con.stdin = strings.NewReader("content")
	if err := (&sendCommand{Recipient: "bob", Attach: "-", AttachName: "a.txt"}).Run(t.Context(), con, c); err != nil {
		t.Fatal(err)
	}
	con.stdin = strings.NewReader(strings.Repeat("x", longest+1))
	if err := (&sendCommand{Recipient: "bob", Body: "-"}).Run(t.Context(), con, c); err == nil {
		t.Error("a text of more than 1 MiB was sent")
	}
	if got := strings.Join(s.requests(), "\n"); got != `POST /v2/message {"recipient":"bob","body":"up 3 days"}`+
		"\nPOST /v2/message" {
		t.Errorf("requests: got %s", got)
	}
}

func TestMessageSave_writes_a_new_file_only(t *testing.T) {
	s := newStub(t)
	name := `attachment; filename="../../up.txt"`
	s.answers["GET /v2/message/m1/attachment/1"] = func(w http.ResponseWriter) {
		w.Header().Set("Content-Disposition", name)
		_, _ = io.WriteString(w, "content")
	}
	t.Chdir(t.TempDir())
	run := func(args ...string) (int, string) {
		var stdout, stderr bytes.Buffer
		code := Run(t.Context(), append([]string{"message", "save", "m1"}, args...), s.env(), &stdout, &stderr)
		return code, stdout.String()
	}
	if code, out := run(); code != exitDone || out != "up.txt\n" {
		t.Errorf("got exit code %d, %q", code, out)
	}
	if text, err := os.ReadFile("up.txt"); err != nil || string(text) != "content" {
		t.Errorf("got %q, %v", text, err)
	}
	if code, _ := run(); code != exitFailed {
		t.Errorf("over a file that exists: exit code %d", code)
	}
	if code, out := run("-o", "-"); code != exitDone || out != "content" {
		t.Errorf("to standard output: exit code %d, %q", code, out)
	}
	name = ""
	if code, out := run(); code != exitDone || out != "attachment\n" {
		t.Errorf("without a name: exit code %d, %q", code, out)
	}
}

func TestLifetime(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want int // 0: refused
	}{{"never", -1}, {"-1", -1}, {"60", 60}, {"8h", 480}, {"7d", 10080}, {"30s", 1}, {"1h1s", 61}, {"", 0}, {"soon", 0},
		{"0s", 0}, {"-5m", 0}, {"d", 0}} {
		var l lifetime
		err := l.UnmarshalText([]byte(tt.in))
		if (err == nil) != (tt.want != 0) || err == nil && int(l) != tt.want {
			t.Errorf("%q: got %d, %v, want %d", tt.in, l, err, tt.want)
		}
	}
}
