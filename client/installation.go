package client

import "context"

// ServerSetting is a setting of a server as it is in force, and where that was said.
type ServerSetting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`            // as a flag would give it; what signs in is left out
	Secret bool   `json:"secret"`           // something that signs in is set, and *** stands for it
	Source string `json:"source"`           // default, file, environment or flag
	Origin string `json:"origin,omitempty"` // where exactly; empty: the default
}

// Settings returns the settings of the server that answers, for operators, in the order of
// their documentation (GET /settings).
func (c *Client) Settings(ctx context.Context) ([]ServerSetting, error) {
	all, err := fetch[struct {
		Results []ServerSetting `json:"results"`
	}](ctx, c, get("settings"))
	if err != nil {
		return nil, err
	}
	return all.Results, nil
}
