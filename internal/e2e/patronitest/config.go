package patronitest

import (
	"fmt"
	"net"
	"strings"
)

// patroniConfig is what Patroni is told. Its arguments are the member's name; the link to etcd; where its interface
// listens, and where others find that; where the server listens, and where others find that; the directory of
// PostgreSQL's programs.
//
// The times are the shortest that Patroni allows for the life of the leader's key (20 s), and short ones for the rest:
// ttl ≥ loop_wait + 2 × retry_timeout. In the strict mode a server without a synchronous standby confirms nothing.
//
// Patroni speaks to etcd by the second version of its interface. By the third, Patroni 3.0.2, which Debian 12 has,
// writes its name over that of a new leader if it stood still between looking who leads and renewing its lease
// (_update_leader in dcs/etcd3.py compares nothing): commits that the new leader confirmed are lost.
const patroniConfig = `
scope: signet
name: %[1]s
etcd:
  hosts: ["%[2]s"]
  use_proxies: true
restapi:
  listen: %[3]s
  connect_address: %[4]s
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 2
    retry_timeout: 5
    primary_start_timeout: 0
    synchronous_mode: true
    synchronous_mode_strict: true
    postgresql:
      use_pg_rewind: true
      parameters:
        max_connections: 200
        wal_log_hints: "on"
  initdb:
    - encoding: UTF8
    - locale: C
postgresql:
  listen: %[5]s
  connect_address: %[6]s
  data_dir: HERE/data
  bin_dir: %[7]s
  pgpass: HERE/pgpass
  remove_data_directory_on_rewind_failure: true
  remove_data_directory_on_diverged_timelines: true
  authentication:
    superuser: {username: signet}
    replication: {username: signet}
    rewind: {username: signet}
  parameters:
    unix_socket_directories: ""
    shared_buffers: 128MB
    wal_sender_timeout: 5s
    wal_receiver_timeout: 5s
  pg_hba:
    - host all all 127.0.0.1/32 trust
    - host replication all 127.0.0.1/32 trust
`

// poolerConfig is what PgBouncer is told: the host and port of its server, its own, and how long a client keeps a
// connection to the server. It may hold as many as the tests open, for in session mode each client has its own. A
// server that refused is asked again after one second, not after 15.
const poolerConfig = `
[databases]
* = host=%[1]s port=%[2]s
[pgbouncer]
listen_addr = %[3]s
listen_port = %[4]s
unix_socket_dir =
auth_type = trust
auth_file = HERE/users
pool_mode = %[5]s
max_client_conn = 500
default_pool_size = 80
server_login_retry = 1
`

// etcdCommand runs etcd alone, with an address for clients and one for the other members that it has not.
func etcdCommand(clients, peers string) []string {
	return []string{"etcd", "--name=only", "--data-dir=HERE/data", "--log-level=warn", "--enable-v2",
		"--listen-client-urls=http://" + clients, "--advertise-client-urls=http://" + clients,
		"--listen-peer-urls=http://" + peers, "--initial-advertise-peer-urls=http://" + peers,
		"--initial-cluster=only=http://" + peers}
}

// poolerCommand runs PgBouncer with a file of the one user it is to let in.
var poolerCommand = []string{"sh", "-c", `echo '"signet" ""' >users && PATH=$PATH:/usr/sbin && exec pgbouncer config`}

// fillPooler completes poolerConfig.
func fillPooler(server, own, mode string) string {
	return fmt.Sprintf(poolerConfig, append(append(parts(server), parts(own)...), mode)...)
}

// parts are the host and the port of an address.
func parts(address string) []any {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return []any{address, ""} // which no program accepts
	}
	return []any{strings.TrimSpace(host), port}
}
