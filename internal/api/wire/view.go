package wire

// View is how things are shown to one caller: under the vendor's names, and with links
// that the caller can follow.
type View struct {
	Namespace string // the vendor's, which starts every type
	Base      string // what links begin with
}

func (v *View) accountType() string { return v.Namespace + ":entity:account" }
func (v *View) groupType() string   { return v.Namespace + ":entity:group" }
