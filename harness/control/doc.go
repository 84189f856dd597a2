// Package control acts on a target from outside its API: it kills, starts,
// pauses, resumes and restarts its processes, moves its clock, switches its
// flags, and points its dependencies at us.
//
// Why it looks like this: what is proven about a crash depends on a process that
// really died. A command that exits with 0 and a supervisor that answers 200 say
// that somebody meant well, so nothing is believed that was not seen:
//
//	kill     the target answered before, and then refuses connections; where the
//	         profile lists its processes, none of the old ones is left
//	start    it answers again, by other processes
//	restart  no process of before is left, or it was seen to be gone; then it answers
//	pause    it answered before, and then no request gets an answer
//	resume   it answers again, by the same processes where they are named
//	clock    it reads as far from ours as it was moved
//	flag     it reads as it was set
//	store    the supervisor says of the link what it was asked for
//
// A look is several requests at once: behind a balancer one answer would speak
// for one instance only. Each control has one time limit for acting and for its
// proof; a command that exceeds it is killed with all that it started. What
// cannot be proven is an error, which says what was seen instead.
//
// A run can die, too, and nothing that it arranged may outlive it. A supervisor
// reverts what it did under a lease by itself; a run renews the lease of the
// attached dependencies as long as it lives, and learns when it was lost, since
// from then on the target's calls pass it by. What a command did has no lease:
// a guard, a shell that waits for our end and for that of a command still at
// work, runs the command that undoes it. The same goes for a clock and flags that
// a command sets, unless it is told a time. A shell can send no request; so a request that sets a clock or a flag carries a
// lease itself: {{leaseMs}} in its URL or body is the milliseconds after which the
// target puts back what was before, 0 where it is being put back by us and stays.
// A later request replaces the lease of an earlier one. Where no request says
// {{leaseMs}}, nothing puts it back after a crash.
//
// The protocol of a supervisor, JSON over HTTP; a refusal is {"error": text}:
//
//	POST   {control}/restart         {"instance":"*"}, answers {"killed":[pid],"started":[pid]}
//	POST   {control}/kill            {"instance":"*","leaseMs":n}, answers {"killed":[pid]}
//	POST   {control}/start           {"instance":"*"}, answers {"started":[pid]}, none if nothing was down
//	POST   {control}/pause           {"instance":"*","leaseMs":n}, answers {"paused":[pid]}
//	POST   {control}/resume          {"instance":"*"}, answers {"resumed":[pid]}, none if nothing was paused
//	PUT    {control}/store           {"mode":"open|cut|stall|slow|lost","delayMs":n,"writes":n,"leaseMs":n};
//	                                 lost keeps what a reservation writes and answers it with an error,
//	                                 the next n times, or as long as it lasts
//	GET    {control}/store           answers {"mode","delayMs","writes"}
//	PUT    {control}/crash           {"point":name,"correlationId":id,"leaseMs":n}, answers as GET: the process that
//	                                 such a request brings to the point dies there, once
//	DELETE {control}/crash           answers as GET
//	GET    {control}/crash           answers {"points":[name],"armed":name,"deaths":n}, those that died by themselves
//	POST   {attach}                  {"dependencies":{name:url},"leaseMs":n}, answers {"lease":id,"upstream":{name:url}};
//	                                 409 while another run holds it
//	POST   {attach}/{lease}/renew
//	DELETE {attach}/{lease}
package control
