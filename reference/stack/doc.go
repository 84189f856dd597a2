// Package stack composes the reference, a checkout and a gateway over one store,
// with the outside world it needs, all on loopback, and describes the result as
// a profile: the reference enters a run by the same door as a stranger's URL.
//
// # Why a supervisor
//
// What has to be proven includes a process that dies. So nothing that must
// survive may live in the process under test: [Serve] is a supervisor that
// never dies, and the instances of the reference are its child processes. It
// owns what outlives them:
//
//   - the payment, bank, inventory, order and catalog fakes with their ledger, so
//     that a killed instance takes no evidence with it;
//   - the instances' listening sockets. A child inherits its socket, so a
//     restart never loses the address to another process. What callers see of
//     a kill: exchanges that the process had accepted break off with a reset
//     or an end of stream; a connection made while no process is there waits
//     in the kernel's queue and is served by the next one, or is refused once
//     that queue is full. Each connection is accepted by one process only, so
//     queueing repeats nothing;
//   - the log that all instances append to, one JSON record a line: what they
//     say of themselves, each attempt of a call, and each span;
//   - the control port, and the leases of attachments and settings;
//   - the shim of the reference's API client, which needs no instance.
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
//	                              "upstreams":{"payment","bank","inventory","orders","catalog","ledger"},
//	                              "attachment":{"ageMs","expiresMs","dependencies"},"log":FILE}
//	                              pid is 0 while an instance is down; kept is killed or
//	                              paused, absent while nothing keeps it; attachment is
//	                              absent while nothing is attached
//	POST /attach                  {"dependencies":{"payment":"http://127.0.0.1:P"},"leaseMs":N}
//	                              201 {"lease","upstream":{"payment","bank","inventory","orders","catalog"}}
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
//	PUT /clock                    {"offset":SECONDS,"leaseMs":N}: 200 as GET; the instances'
//	                              clocks are that far ahead of the true time
//	GET /clock                    200 {"now":RFC 3339,"offset":SECONDS}
//	PUT /flags/{name}             {"on":BOOL,"leaseMs":N}: 200 as GET; there are resilience,
//	                              the gateway's retries and fallback, and require-key: off, the
//	                              checkout takes requests without an idempotency key
//	GET /flags/{name}             200 {"name","on"}; 404 there is no such flag
//	PUT /store                    {"mode":"open|cut|stall|slow|lost","delayMs":N,"writes":N,"leaseMs":N}: 200 as GET
//	GET /store                    200 {"mode","delayMs","writes"}
//	PUT /crash                    {"point","correlationId","leaseMs":N}: 200 as GET; the instance that a
//	                              request, of that correlation id if one is given, brings to the point
//	                              kills itself there: between two durable steps of a checkout, see GET.
//	                              Instances that start later are not told
//	DELETE /crash                 200 as GET; nothing is armed any more
//	GET /crash                    200 {"points":[name],"armed":name,"deaths":N}
//	GET /metrics                  200 what all instances measured, in Prometheus text form
//	GET /records/{requestId}      200 what the store holds of a request, read from its file
//	                              or its server; 404 nothing
//	GET /outbox?since=POSITION    200 {"entries":[{"position","eventId","aggregateId","tenant",
//	                              "sequence","type","state","correlationId","occurredAt"}]}: the
//	                              events of the store that arrived later, read in the same way
//	POST /webhooks                {"key":PROVIDER KEY}: the payment provider tells the first
//	                              instance of the charge under that key; 200 {"status"}, how
//	                              that was answered; 404 there is no such charge
//
// A lease is 1 ms to 10 min; without leaseMs it is one minute, for a clock and a
// flag without end, as with 0. The wrong leaseMs is 400, as is an instance other
// than "*". A paused instance can be killed and restarted; dependencies are
// attached and released, and settings changed, only while it runs, since it could
// not confirm them: one that has to revert meanwhile is killed.
//
// # Settings
//
// Clock, flags and store link are the settings of all instances. What they are is
// read from the instances themselves, which have to agree; while none is ready it
// is 503. A setting reverts, when its lease is over, to what was last set to last.
// An instance that starts later begins with those that hold. By the clock go the
// ages of stored results, the retention of records, the leases of work and the
// expiry of tokens, and no timers. A store link that stalls keeps every use of the
// store waiting, one that is cut fails it at once; the database itself sees nothing
// of that. One that loses carries out a reservation and answers it with an error, in
// each instance the next N times, or as long as it lasts. Both the checkout and the
// gateway use the store through it.
//
// # A store on a server
//
// With Options.Store postgres:DSN the instances share a PostgreSQL database that is
// there already. They reach it through a toxiproxy of the supervisor, whose URL is
// in the profile: the link to such a store is cut where it really is, and a run
// drives it as it would drive anybody's, without a lease. The supervisor itself
// reads records and the outbox past it. A server behind a Unix socket is reached directly, and
// then only PUT /store disturbs it.
//
// # Fixed addresses
//
// Most targets cannot be told at run time whom to call. With
// Options.ListenDependencies the stack behaves like one of them: its instances
// call fixed addresses for good, the profile declares these as listen and our own
// fakes as upstream, and a run stands in between. While no run listens there the
// calls are refused, so a checkout answers 503, or 202 once something of it is
// under way, and the gateway answers 503.
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
