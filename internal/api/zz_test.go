package api_test
import ("testing";"time";"fmt")
func TestZZ(t *testing.T){ for range 5 { t0:=time.Now(); s:=start(t); t1:=time.Now(); o:=s.mustCreateOrganization("x"); t2:=time.Now(); s.mustCreate(o,"a"); fmt.Println(t1.Sub(t0),t2.Sub(t1),time.Since(t2)) ; t3:=time.Now(); for range 20 {s.operator.get("/v2/user").want(200)}; fmt.Println(time.Since(t3)/20)} }
