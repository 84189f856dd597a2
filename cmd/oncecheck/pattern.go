package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/oncecheck/oncecheck/harness"
)

// inWord is a ** that is not a path segment of its own, which doublestar would
// read as a plain *. In an id such as SRS-CHK-001.44 it has to cross the dot.
var inWord = regexp.MustCompile(`([^/])\*\*|\*\*([^/])`)

// glob returns a matcher of ids. * stays within a segment, and both / and . end
// one; ** crosses both.
func glob(pattern string) (func(id string) bool, error) {
	p := strings.ReplaceAll(pattern, ".", "/")
	for inWord.MatchString(p) {
		p = inWord.ReplaceAllString(p, "$1{*,*/\x00/*}$2")
	}
	p = strings.ReplaceAll(p, "\x00", "**")
	if pattern == "" || !doublestar.ValidatePattern(p) {
		return nil, refuse(fmt.Errorf("pattern %q is not a glob", pattern), `for example 'idempotency/**' or 'SRS-CHK-001.*'`)
	}
	return func(id string) bool {
		return doublestar.MatchUnvalidated(p, strings.ReplaceAll(id, ".", "/"))
	}, nil
}

// selection returns which scenarios the patterns select: those of only, all
// without one, less those of skip.
func selection(c harness.Catalogue, only, skip []string) (func(harness.Scenario) bool, error) {
	wanted, refused := map[string]bool{}, map[string]bool{}
	for _, p := range only {
		found, err := matching(c, "--only", p)
		if err != nil {
			return nil, err
		}
		for _, id := range found {
			wanted[id] = true
		}
	}
	for _, p := range skip {
		found, err := matching(c, "--skip", p)
		if err != nil {
			return nil, err
		}
		for _, id := range found {
			refused[id] = true
		}
	}
	selects := func(s harness.Scenario) bool { return (len(only) == 0 || wanted[s.ID]) && !refused[s.ID] }
	for _, s := range c.Scenarios {
		if selects(s) {
			return selects, nil
		}
	}
	return nil, refuse(errors.New("nothing is left to run: --skip takes out all that was selected"), "oncecheck list scenarios shows what there is")
}

// matching returns the scenarios whose id, or a clause of theirs, matches.
func matching(c harness.Catalogue, flag, pattern string) ([]string, error) {
	matches, err := glob(pattern)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, s := range c.Scenarios {
		hit := matches(s.ID)
		for _, id := range s.Clauses() {
			hit = hit || matches(string(id))
		}
		if hit {
			found = append(found, s.ID)
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	clauses := 0
	for _, clause := range c.Clauses {
		if matches(string(clause.ID)) {
			clauses++
		}
	}
	if series := measuredBy(c, matches); series > 0 {
		return nil, refuse(fmt.Errorf("%s %q matches only what is measured in the lane %s", flag, pattern, harness.LaneNFR), "add --lane "+harness.LaneNFR)
	}
	if clauses > 0 {
		return nil, refuse(fmt.Errorf("%s %q matches %s, but no scenario judges any yet", flag, pattern, plural(clauses, "clause")), "oncecheck list clauses shows which are judged")
	}
	near := nearest(strings.Trim(pattern, "*/."), ids(c), 3)
	return nil, refuse(fmt.Errorf("%s %q matches no scenario and no clause", flag, pattern),
		didYouMean(near, "* stays between / and ., ** crosses both; oncecheck list scenarios and list clauses show the ids"))
}

// ids returns the ids of all scenarios and clauses.
func ids(c harness.Catalogue) []string {
	var all []string
	for _, s := range c.Scenarios {
		all = append(all, s.ID)
	}
	for _, clause := range c.Clauses {
		all = append(all, string(clause.ID))
	}
	for _, n := range c.NFRs {
		all = append(all, n.ID)
	}
	return all
}

// measuredBy counts the series that match by their id or that of their clause.
func measuredBy(c harness.Catalogue, matches func(id string) bool) int {
	n := 0
	for _, nfr := range c.NFRs {
		if matches(nfr.ID) || matches(string(nfr.Clause)) {
			n++
		}
	}
	return n
}
