package wire

// Failure is the body of every error.
type Failure struct {
	Status string `json:"status"`
	Error  Error  `json:"error"`
}

// Error says what went wrong.
type Error struct {
	Status    int    `json:"status"`
	Code      string `json:"code"`
	Message   string `json:"message"`
	Field     string `json:"field,omitempty"`
	RequestID string `json:"request_id"`
}
