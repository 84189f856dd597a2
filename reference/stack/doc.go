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
// 5 s while it keeps dying; each death is logged and counted. One that was
// killed through the control port stays down, and one that was paused stands
// still, until that is ended or a lease is over: whoever did it may have died.
// Callers of either see the same: their connections are made, by the kernel's
// queue, and nobody answers. Neither state outlives the supervisor.
//
// # Control API
//
// HTTP and JSON on 127.0.0.1. A request whose Host is not a loopback address,
// or that carries Origin, is refused with 403: no web page may kill processes
// here. A refusal is {"error": "what, why, next step"}.
//
//	GET /healthz                  200 {"status":"ok"}: the supervisor lives
//	GET /info                     200 {"url","instances":[{"pid","addr","deaths","kept"}],
//	                              "upstreams":{"payment","inventory","orders","ledger"},
//	                              "attachment":{"ageMs","expiresMs","dependencies"}}
//	                              pid is 0 while an instance is down; kept is killed or
//	                              paused, absent while nothing keeps it; attachment is
//	                              absent while nothing is attached
//	POST /attach                  {"dependencies":{"payment":"http://127.0.0.1:P"},"leaseMs":N}
//	                              201 {"lease","upstream":{"payment","inventory","orders"}}
//	                              400 unknown dependency, address that is not 127.0.0.1, or
//	                              lease outside 1 ms to 10 min; 409 while another lease holds,
//	                              or where the addresses are fixed (see below);
//	                              503 an instance did not take the addresses: nothing is attached
//	POST /attach/{lease}/renew    200 {"lease","leaseMs"}; 404 expired or released
//	DELETE /attach/{lease}        204; 404 expired or released
//	POST /restart                 {"instance":"*"}: 200 {"killed":[pid],"started":[pid]} once all
//	                              accept again; 503 with "error" as well if one does not
//	POST /kill                    {"instance":"*","leaseMs":N}: 200 {"killed":[pid]}; they stay
//	                              down until /start or /restart, or until the lease is over;
//	                              killing again begins a new lease
//	POST /start                   {"instance":"*"}: 200 {"started":[pid]} once they accept,
//	                              empty if nothing was kept down; 503 as above
//	POST /pause                   {"instance":"*","leaseMs":N}: 200 {"paused":[pid]} (SIGSTOP),
//	                              until /resume, or until the lease is over; 503 if an
//	                              instance has no process that could be paused
//	POST /resume                  {"instance":"*"}: 200 {"resumed":[pid]} (SIGCONT), empty if
//	                              nothing was paused
//
// A lease is 1 ms to 10 min; without leaseMs it is one minute. The wrong leaseMs
// is 400, as is an instance other than "*". A paused instance can be killed and
// restarted; dependencies are attached and released only while it runs, since it
// could not confirm them: one that has to revert meanwhile is killed.
//
// # Fixed addresses
//
// Most targets cannot be told at run time whom to call. With
// Options.ListenDependencies the stack behaves like one of them: its instances
// call three addresses for good, the profile declares these as listen and our
// own fakes as upstream, and a run stands in between. While no run listens there
// the calls are refused, so a checkout answers 503, or 202 once something of it
// is under way.
//
// # Attachments
//
// An attachment sends the calls of every instance to the given addresses; a
// dependency that it does not name keeps its own upstream. An attachment whose
// lease is not renewed in time reverts by itself. A restarted instance gets
// the attached addresses before its first call and is declared ready only when
// it has confirmed them. An instance that cannot be told to revert is killed,
// since its successor starts with the right addresses.
package stack
