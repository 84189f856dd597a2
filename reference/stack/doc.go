// Package stack composes the reference checkout with the outside world it
// needs, all on loopback, and describes the result as a profile: the reference
// enters a run by the same door as a stranger's URL.
//
// # Why a supervisor
//
// What has to be proven includes a process that dies. So nothing that must
// survive may live in the process under test: [Serve] is a supervisor that
// never dies, and the instances of the reference are its child processes. It
// owns what outlives them:
//
//   - the payment, inventory and order fakes with their ledger, so that a
//     killed instance takes no evidence with it;
//   - the instances' listening sockets. A child inherits its socket, so a
//     restart never loses the address to another process. What callers see of
//     a kill: exchanges that the process had accepted break off with a reset
//     or an end of stream; a connection made while no process is there waits
//     in the kernel's queue and is served by the next one, or is refused once
//     that queue is full. Each connection is accepted by one process only, so
//     queueing repeats nothing;
//   - the control port, and the leases of attachments.
//
// A child ends when its standard input ends ([RunChild]), so that it never
// outlives a supervisor that crashed. It runs in a process group of its own:
// Ctrl-C reaches the supervisor, which ends its children in order. Only a
// supervisor that is itself killed leaves its temporary store behind.
//
// An instance that dies by itself is started again after 100 ms, doubling to
// 5 s while it keeps dying; each death is logged and counted.
//
// # Control API
//
// HTTP and JSON on 127.0.0.1. A request whose Host is not a loopback address,
// or that carries Origin, is refused with 403: no web page may kill processes
// here. A refusal is {"error": "what, why, next step"}.
//
//	GET /healthz                  200 {"status":"ok"}: the supervisor lives
//	GET /info                     200 {"url","instances":[{"pid","addr","deaths"}],
//	                              "upstreams":{"payment","inventory","orders","ledger"},
//	                              "attachment":{"ageMs","expiresMs","dependencies"}}
//	                              pid is 0 while an instance is down; attachment is
//	                              absent while nothing is attached
//	POST /attach                  {"dependencies":{"payment":"http://127.0.0.1:P"},"leaseMs":N}
//	                              201 {"lease","upstream":{"payment","inventory","orders"}}
//	                              400 unknown dependency, address that is not 127.0.0.1, or
//	                              lease outside 1 ms to 10 min; 409 while another lease holds;
//	                              503 an instance did not take the addresses: nothing is attached
//	POST /attach/{lease}/renew    200 {"lease","leaseMs"}; 404 expired or released
//	DELETE /attach/{lease}        204; 404 expired or released
//	POST /restart                 {"instance":"*"}: 200 {"killed":[pid],"started":[pid]} once all
//	                              accept again; 503 with "error" as well if one does not
//
// An attachment sends the calls of every instance to the given addresses; a
// dependency that it does not name keeps its own upstream. An attachment whose
// lease is not renewed in time reverts by itself. A restarted instance gets
// the attached addresses before its first call and is declared ready only when
// it has confirmed them. An instance that cannot be told to revert is killed,
// since its successor starts with the right addresses.
package stack
