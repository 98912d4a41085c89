package app

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"signet/internal/disk"
	"signet/internal/home"
	"signet/internal/store"
)

// openRoom begins to watch the disks that the server writes to.
func openRoom(in surroundings) (*disk.Room, error) {
	o := disk.Options{
		Data: in.dir, Embedded: in.cfg.Database == "", Reserve: in.cfg.Disk.Reserve, Full: store.ErrFull,
		Clock: in.clock, Log: in.log, Warnings: in.warnings,
	}
	if at := home.Blobs(in.dir, in.cfg.Blobs); !strings.Contains(at, "://") {
		o.Files = strings.TrimPrefix(at, "dir:")
	}
	room := disk.NewRoom(o)
	if in.metrics == nil {
		return room, nil
	}
	const (
		free = "Bytes that are free on a disk that the server writes to, by what it keeps there."
		size = "Size of a disk that the server writes to, in bytes, by what it keeps there."
	)
	all := []prometheus.Collector{
		gauge("signet_disk_free_bytes", free, labels{"place": "data"},
			func() float64 { return float64(room.Figures().Data) }),
		gauge("signet_disk_size_bytes", size, labels{"place": "data"},
			func() float64 { return float64(room.Figures().DataSize) }),
		gauge("signet_disk_reserve_bytes", "Bytes that are kept for the time when the disk is full.", nil,
			func() float64 { return float64(room.Figures().Reserve) }),
		gauge("signet_disk_full", "1 while new messages or files are refused because there is too little room for them, "+
			"else 0.", nil, func() float64 {
			if room.Figures().Full {
				return 1
			}
			return 0
		}),
	}
	if o.Files != "" {
		all = append(all, gauge("signet_disk_free_bytes", free, labels{"place": "attachments"},
			func() float64 { return float64(room.Figures().Files) }),
			gauge("signet_disk_size_bytes", size, labels{"place": "attachments"},
				func() float64 { return float64(room.Figures().FilesSize) }))
	}
	return room, register(in.metrics, all...)
}
