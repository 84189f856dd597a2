package door

import (
	"runtime"
	"runtime/debug"

	"github.com/oncecheck/oncecheck/harness"
)

const module = "github.com/oncecheck/oncecheck"

// suite tells which version of the catalogue judged: the module's own, where a
// foreign repository tests with it.
func suite() harness.SuiteInfo {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return harness.SuiteInfo{Version: "devel"}
	}
	if info.Main.Path != module {
		for _, d := range info.Deps {
			if d.Path == module {
				return harness.SuiteInfo{Version: d.Version}
			}
		}
		return harness.SuiteInfo{Version: "devel"}
	}
	s := harness.SuiteInfo{Version: "devel"}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		s.Version = v
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			s.Commit = setting.Value
		}
	}
	return s
}

func host() harness.HostInfo {
	return harness.HostInfo{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU()}
}
