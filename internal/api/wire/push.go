package wire

import "signet/internal/model"

// Subscription is a browser in which the caller is told of new messages.
type Subscription struct {
	ID          model.SubscriptionID `json:"id"`
	Host        string               `json:"host"` // of the push service
	CreatedTime Time                 `json:"created_time"`
	LastSuccess Time                 `json:"last_success,omitzero"`
	Device      string               `json:"device,omitempty"`
	Current     bool                 `json:"current,omitempty"` // it belongs to the key that asks
}
