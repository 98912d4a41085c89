package api

import "context"

// wireServerSettings are the settings in force.
type wireServerSettings struct {
	Results []wireServerSetting `json:"results"`
}

// wireServerSetting is a setting as it is in force, and where that was said.
type wireServerSetting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Secret bool   `json:"secret"`
	Source string `json:"source"`
	Origin string `json:"origin,omitempty"`
}

// listSettings: GET /settings.
func (a *API) listSettings(ctx context.Context, c *call) (answer, error) {
	all, err := a.overview.Settings(ctx, c.actor)
	if err != nil {
		return answer{}, err
	}
	a.charge(c, costOfList(len(all)))
	out := wireServerSettings{Results: make([]wireServerSetting, len(all))}
	for i, s := range all {
		out.Results[i] = wireServerSetting{s.Key, s.Value, s.Secret, string(s.Source), s.Origin}
	}
	return reply(out), nil
}
