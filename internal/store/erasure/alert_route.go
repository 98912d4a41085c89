package erasure

import (
	"encoding/json"

	"signet/internal/model"
	"signet/internal/store"
)

// RoutesTo returns up to limit organizations whose alert routes name an account by one of its addresses. Few
// organizations have routes, and no index finds them.
func RoutesTo(tx *store.Tx, account *model.Account, limit int) (found []model.OrganizationID, err error) {
	err = tx.Query(`SELECT organization, settings FROM organizations WHERE settings LIKE '%"alert_routes"%'
		ORDER BY organization`, nil, func(row store.Row) error {
		var id model.OrganizationID
		var text []byte
		if err := row.Scan(&id, &text); err != nil {
			return err
		}
		var settings model.Settings
		if err := json.Unmarshal(text, &settings); err != nil {
			return err
		}
		if len(found) < limit && settings.DropAlertRoutesTo(account) {
			found = append(found, id)
		}
		return nil
	})
	return found, err
}

// ForgetRoutes takes the rules out of organizations' alert routes that name an account. Each is read again: it may
// have been changed since it was found.
func ForgetRoutes(tx *store.Tx, account *model.Account, found []model.OrganizationID) error {
	for _, id := range found {
		if err := tx.LockOrganization(id); err != nil {
			return err
		}
		o, there, err := tx.Organization(id)
		if err == nil && there && o.Settings.DropAlertRoutesTo(account) {
			err = tx.UpdateOrganization(&o)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
