package wire

// Page is a page of a list, with the place from which the next one reads on.
type Page[W any] struct {
	Results  []W `json:"results"`
	Metadata struct {
		Continuation string `json:"continuation,omitempty"`
	} `json:"metadata"`
}
