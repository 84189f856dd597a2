package peer

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// counter is a number that the kernel counts up for all sockets of this machine.
type counter struct{ file, group, name string }

// overflows counts the attempts to connect that met a full queue.
func overflows() counter { return counter{"/proc/net/netstat", "TcpExt:", "ListenOverflows"} }

// read returns the present value.
func (c counter) read() (int, error) {
	text, err := os.ReadFile(c.file)
	if err != nil {
		return 0, fmt.Errorf("read the kernel's counter %s: %w", c.name, err)
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] != c.group {
			continue
		}
		if names == nil { // the first line of a group has the names, the second the values
			names = fields
			continue
		}
		if i := slices.Index(names, c.name); i >= 0 && i < len(fields) {
			return strconv.Atoi(fields[i])
		}
	}
	return 0, errors.New("read the kernel's counter " + c.name + ": " + c.file + " has none")
}
