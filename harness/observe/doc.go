// Package observe learns how an API that nobody described spells the contract,
// and writes it down as a profile: oncecheck init.
//
// Why it sends so little and says so much: a profile that claims what nobody saw
// would let a run judge the target by a guess. So every knob in the written file
// was seen in an answer, and is quoted there, or is named as not learned with
// what to fill in by hand. At most [MaxRequests] requests are sent, each of which
// a customer could have sent: plain checkouts, repeats of them, and checkouts
// that the API has to refuse.
//
// Credentials never get into the file; in their place stand the names of
// environment variables.
package observe
