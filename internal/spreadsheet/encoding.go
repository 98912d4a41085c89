package spreadsheet

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// workbooks are what the files begin with that are no text: archives (.xlsx, .ods) and compound
// files (.xls).
var workbooks = [][]byte{[]byte("PK\x03\x04"), {0xd0, 0xcf, 0x11, 0xe0}}

// decode returns the text of a file. A mark of the byte order tells UTF-8 or UTF-16, which is the
// "Unicode text" of Excel. Without one it is UTF-8, or else windows-1252, which Excel saves as
// "CSV" in Western Europe; latin says that this was guessed.
func decode(file []byte) (text string, latin bool, problem *Problem) {
	for _, begin := range workbooks {
		if bytes.HasPrefix(file, begin) {
			return "", false, &Problem{Code: Workbook}
		}
	}
	switch rest, marked := bytes.CutPrefix(file, []byte("\ufeff")); {
	case bytes.HasPrefix(file, []byte{0xff, 0xfe}):
		text = decodeUTF16(file[2:], binary.LittleEndian)
	case bytes.HasPrefix(file, []byte{0xfe, 0xff}):
		text = decodeUTF16(file[2:], binary.BigEndian)
	case marked || utf8.Valid(file):
		text = strings.ToValidUTF8(string(rest), lost)
	default:
		text, _ = charmap.Windows1252.NewDecoder().String(string(file)) // each byte is a character
		latin = true
	}
	if at := strings.IndexAny(text, lost+"\x00"); at >= 0 {
		return "", latin, &Problem{Code: Encoding, Row: 1 + lineEnds(text[:at])}
	}
	return text, latin, nil
}

// lost stands for a character that was lost in an earlier conversion, or in this one.
const lost = "\ufffd"

func decodeUTF16(file []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(file)/2)
	for i := range units {
		units[i] = order.Uint16(file[2*i:])
	}
	text := string(utf16.Decode(units))
	if len(file)%2 > 0 {
		text += lost
	}
	return text
}

// lineEnds counts the ends of lines, whatever of the three they are.
func lineEnds(text string) int {
	return strings.Count(text, "\n") + strings.Count(text, "\r") - strings.Count(text, "\r\n")
}
