package api

// Table lists the routes that the server answers, each as `METHOD pattern`, in
// the table's order.
func (a *API) Table() []string {
	var out []string
	for _, r := range a.routes() {
		out = append(out, r.method+" "+r.pattern)
	}
	return out
}
