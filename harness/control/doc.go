// Package control acts on a target's processes and links through its
// supervisor, over HTTP.
//
// Why it looks like this: what is proven about a crash depends on a process that
// really died, so a supervisor's word is checked: after a restart, every process
// must be another one than those killed. And since a run can die, too, nothing
// that it arranges may outlive it. The target's dependencies are attached to the
// run's listeners under a lease that the supervisor reverts by itself; a run
// renews it as long as it lives, and learns when it was lost, since from then on
// the target's calls pass it by and nothing seen on its links can be trusted.
//
// The protocol, JSON over HTTP; a refusal is {"error": text}:
//
//	POST   {control}/restart         {"instance":"*"}, answers {"killed":[pid],"started":[pid]}
//	POST   {attach}                  {"dependencies":{name:url},"leaseMs":n}, answers {"lease":id,"upstream":{name:url}};
//	                                 409 while another run holds it
//	POST   {attach}/{lease}/renew
//	DELETE {attach}/{lease}
package control
