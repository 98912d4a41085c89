package wire

import "signet/internal/model"

// Note is a note of a group in the history of its conversation.
type Note struct {
	Note       NoteText `json:"note"`
	SortNumber int64    `json:"sort_number"`
	Created    Time     `json:"created_time"`
}

// NoteText is what it says. An account that was erased since is not named.
type NoteText struct {
	Event       model.NoteEvent `json:"event"`
	CallerToken model.AccountID `json:"caller_token,omitzero"`
	CallerName  string          `json:"caller_name,omitempty"`
	Subjects    []NotedAccount  `json:"subjects"`
	NumSubjects int             `json:"num_subjects"`
	Name        string          `json:"name,omitempty"`
}

// NotedAccount is an account with the name that it had.
type NotedAccount struct {
	Token model.AccountID `json:"token"`
	Name  string          `json:"name"`
}

func (v *View) appendNote(b []byte, n *model.Note) ([]byte, error) {
	w := Note{SortNumber: n.Sort, Created: Time(n.Created), Note: NoteText{Event: n.Event, CallerToken: n.Caller.Account,
		CallerName: n.Caller.Name, Subjects: make([]NotedAccount, len(n.Subjects)), NumSubjects: n.Count, Name: n.Name}}
	for i, s := range n.Subjects {
		w.Note.Subjects[i] = NotedAccount{s.Account, s.Name}
	}
	text, err := Marshal(w)
	return append(b, text...), err
}
