// Package systemd speaks with the service manager: it takes the sockets that systemd has opened for the
// program, and tells how the program is doing.
//
// It owns the form of both (sd_listen_fds(3), sd_notify(3), sd_watchdog_enabled(3)): three variables and a line of
// text to a Unix socket. It does not know what is served, nor when the program is ready. Where the program was not
// started by systemd all of it does nothing.
package systemd
