package harness

import "strings"

// commandFollows stands before the command that a run itself starts, where its
// command line names one.
const commandFollows = " -- "

// repeatOnly returns the command line that repeats one scenario of the run. Its
// selection stands before a command that the run starts, whose arguments it
// would else be among.
func (r RunInfo) repeatOnly(scenario string) string {
	only := " --only '" + scenario + "'"
	if before, command, found := strings.Cut(r.Repeat, commandFollows); found && strings.HasPrefix(r.Repeat, "oncecheck client ") {
		return before + only + commandFollows + command
	}
	return r.Repeat + only
}
