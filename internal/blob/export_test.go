package blob

import "time"

// OpenPaged opens the bucket at a location with short pages of lists.
func OpenPaged(location string, page int) (Store, error) {
	s, err := Open(location)
	if err == nil {
		s.(*S3).page = page
	}
	return s, err
}

// OpenHurried opens the bucket at a location with a short patience for a server
// that stands still.
func OpenHurried(location string, stall time.Duration) (Store, error) {
	b, err := parseBucket(location)
	if err != nil {
		return nil, err
	}
	b.stall = stall
	return openS3(b)
}

// SetStalled makes uploads of this age count as left over.
func SetStalled(s Store, age time.Duration) { s.(*S3).stalled = age }
