package brand

import (
	"encoding/binary"
	"errors"
)

// errNoWebP says that a file is of another format.
var errNoWebP = errors.New("no WebP")

// errDamagedWebP says that a file begins as a WebP picture, and does not go on as one.
var errDamagedWebP = errors.New("the WebP picture is damaged")

// webpSize reads how many pixels a WebP picture has, from the head of its first chunk (RFC 9649,
// section 2). The pixels themselves are the browser's to read: no decoder of Go's own library
// knows the format.
func webpSize(content []byte) (width, height int, err error) {
	if len(content) < 12 || string(content[:4]) != "RIFF" || string(content[8:12]) != "WEBP" {
		return 0, 0, errNoWebP
	}
	whole := uint64(binary.LittleEndian.Uint32(content[4:])) + 8 // with what comes before this length
	if uint64(len(content)) < whole || len(content) < 20 {
		return 0, 0, errDamagedWebP
	}
	chunk, data := string(content[12:16]), make([]byte, 10)
	copy(data, content[20:])
	switch {
	case chunk == "VP8X": // extended: each side less one, in 24 bits
		return uint24(data[4:]) + 1, uint24(data[7:]) + 1, nil
	case chunk == "VP8L" && data[0] == 0x2f: // lossless: each side less one, in 14 bits
		bits := binary.LittleEndian.Uint32(data[1:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1, nil
	case chunk == "VP8 " && string(data[3:6]) == "\x9d\x01\x2a": // lossy: 14 bits, and how to scale them
		return int(binary.LittleEndian.Uint16(data[6:]) & 0x3fff), int(binary.LittleEndian.Uint16(data[8:]) & 0x3fff), nil
	}
	return 0, 0, errDamagedWebP
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
