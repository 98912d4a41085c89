package api

import "signet/internal/model"

// Table lists the routes that the server answers, each as `METHOD pattern`, in
// the table's order.
func (a *API) Table() []string {
	var out []string
	for _, r := range a.routes() {
		out = append(out, r.method+" "+r.pattern)
	}
	return out
}

// SCIMTable lists the routes of SCIM likewise.
func (a *API) SCIMTable() []string {
	var out []string
	for _, r := range a.scimRoutes() {
		out = append(out, r.method+" "+r.pattern)
	}
	return out
}

// Audited lists the routes of which each call leaves a line in the audit log, with
// the action.
func (a *API) Audited() map[string]model.AuditAction {
	out := map[string]model.AuditAction{}
	for _, r := range a.routes() {
		if r.audit != "" {
			out[r.method+" "+r.pattern] = r.audit
		}
	}
	return out
}

// Administrative lists the routes that are for administrators alone.
func (a *API) Administrative() (out []string) {
	for _, r := range a.routes() {
		if r.admin {
			out = append(out, r.method+" "+r.pattern)
		}
	}
	return out
}
