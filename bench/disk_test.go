package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// sectorsWritten is where the kernel counts them among a disk's figures
// (Documentation/block/stat.rst); a sector is always 512 bytes.
const sectorsWritten = 6

// writtenToDisk returns how many bytes went to the disk that holds a directory since the machine
// began, after all that waits in memory has gone there too. It is known of file systems that lie
// on one disk, not in memory or on several. A process's own count (write_bytes of /proc/PID/io)
// has a page as written as soon as it is dirty, with all others that the kernel keeps in one piece
// with it, however few of them go to the disk.
func writtenToDisk(dir string) (bytes float64, known bool, err error) {
	var s syscall.Stat_t
	if err := syscall.Stat(dir, &s); err != nil {
		return 0, false, fmt.Errorf("the disk of %s: %w", dir, err)
	}
	path := fmt.Sprintf("/sys/dev/block/%d:%d/stat", unix.Major(s.Dev), unix.Minor(s.Dev))
	unix.Sync()
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	figures := strings.Fields(string(text))
	if len(figures) <= sectorsWritten {
		return 0, false, fmt.Errorf("%s has only %d figures", path, len(figures))
	}
	sectors, err := strconv.ParseFloat(figures[sectorsWritten], 64)
	return 512 * sectors, err == nil, err
}
