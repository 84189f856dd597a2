package main

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/profile"
)

// measured returns which quantitative requirements the patterns select: those of
// only, all without one, less those of skip.
func measured(c harness.Catalogue, only, skip []string) (func(harness.NFR) bool, error) {
	wanted, refused := map[string]bool{}, map[string]bool{}
	for _, from := range []struct {
		flag     string
		patterns []string
		into     map[string]bool
	}{{"--only", only, wanted}, {"--skip", skip, refused}} {
		for _, p := range from.patterns {
			if err := markMeasured(c, from.flag, p, from.into); err != nil {
				return nil, err
			}
		}
	}
	selects := func(n harness.NFR) bool { return (len(only) == 0 || wanted[n.ID]) && !refused[n.ID] }
	for _, n := range c.NFRs {
		if selects(n) {
			return selects, nil
		}
	}
	return nil, refuse(errors.New("nothing is left to measure: --skip takes out all that was selected"), "oncecheck list nfrs shows what there is")
}

// markMeasured marks what matches, by its own id or by that of its clause.
func markMeasured(c harness.Catalogue, flag, pattern string, into map[string]bool) error {
	matches, err := glob(pattern)
	if err != nil {
		return err
	}
	found := false
	var all []string
	for _, n := range c.NFRs {
		for _, id := range []string{n.ID, string(n.Clause)} {
			if !slices.Contains(all, id) {
				all = append(all, id)
			}
		}
		if matches(n.ID) || matches(string(n.Clause)) {
			into[n.ID], found = true, true
		}
	}
	if found {
		return nil
	}
	for _, id := range ids(c) {
		if matches(id) {
			return refuse(fmt.Errorf("%s %q matches nothing that the lane %s measures", flag, pattern, harness.LaneNFR),
				"oncecheck list nfrs shows what is measured; leave --lane out for what the lane fast judges")
		}
	}
	return refuse(fmt.Errorf("%s %q matches nothing that is measured", flag, pattern),
		didYouMean(nearest(strings.Trim(pattern, "*/."), all, 3), "oncecheck list nfrs shows what there is"))
}

// unhindered returns the profile without the limits that it sets for a target on
// this machine: there the lane nfr keeps to what was planned for it.
func unhindered(p *profile.Profile) *profile.Profile {
	if u, err := url.Parse(p.Target.URL); err != nil || p.Target.URL != "" && !profile.IsLoopback(u.Hostname()) {
		return p
	}
	free := *p
	free.Limits = nil
	return &free
}

// filesNeeded is how many files and sockets the largest of the selected series
// holds: for each call one to who makes it and one to what it meets, and the rest.
func filesNeeded(c harness.Catalogue, selected func(harness.NFR) bool) int {
	const each, rest = 2, 500
	most := 0
	for _, n := range c.NFRs {
		if selected(n) {
			most = max(most, n.Concurrency)
		}
	}
	return each*most + rest
}

// wouldMeasure lists the selected quantitative requirements with what they lack.
func wouldMeasure(w io.Writer, c harness.Catalogue, selected func(harness.NFR) bool, lacks func(harness.Needs) []string) error {
	rows := [][]string{{"MEASURES", "WOULD", "CALLS", "AT ONCE", "MISSING", "CLAIM"}}
	for _, n := range c.NFRs {
		if !selected(n) {
			continue
		}
		missing, would := lacks(n.Needs), "run"
		if len(missing) > 0 {
			would = "stay unverified"
		}
		rows = append(rows, []string{n.ID, would, strconv.Itoa(n.N), strconv.Itoa(n.Concurrency), orDash(missing), n.Claim})
	}
	if err := table(w, rows); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s would be measured, one after the other\n", plural(len(rows)-1, "claim"))
	return nil
}

type listedNFR struct {
	ID     string           `json:"id"`
	Title  string           `json:"title"`
	Clause harness.ClauseID `json:"clause"`
	Needs  harness.Needs    `json:"needs"`
	harness.Preregistered
}

func listNFRs(catalogue harness.Catalogue) listing {
	return listing{
		name: "nfrs", short: "What the lane nfr measures, and with how many calls",
		json: func() any {
			list := []listedNFR{}
			for _, n := range catalogue.NFRs {
				list = append(list, listedNFR{n.ID, n.Title, n.Clause, append(harness.Needs{}, n.Needs...), n.Preregistered})
			}
			return list
		},
		table: func() [][]string {
			rows := [][]string{{"NFR", "CALLS", "AT ONCE", "NEEDS", "CLAIM"}}
			for _, n := range catalogue.NFRs {
				rows = append(rows, []string{n.ID, strconv.Itoa(n.N), strconv.Itoa(n.Concurrency), orDash(n.Needs), n.Claim})
			}
			return rows
		},
	}
}

// measuring tells what is going to be measured: it takes minutes, and nothing is
// told meanwhile.
func measuring(log io.Writer, p harness.Plan) {
	for _, n := range p.NFRs {
		if n.Runs() {
			fmt.Fprintf(log, "to be measured: %s, %d calls, %d at once\n", n.ID, n.N, n.Concurrency)
		}
	}
}

// seriesOf lists what is measured for a clause.
func seriesOf(catalogue harness.Catalogue, clause harness.ClauseID) [][]string {
	var rows [][]string
	for _, n := range catalogue.NFRs {
		if n.Clause == clause {
			rows = append(rows, []string{"  " + n.ID, n.Property, fmt.Sprintf("%d calls, %d at once", n.N, n.Concurrency), strings.Join(n.Mix, "; ")})
		}
	}
	return rows
}

func explainNFR(w io.Writer, n harness.NFR) error {
	fmt.Fprintf(w, "%s  %s\n\n", n.ID, n.Title)
	rows := [][]string{
		{"claim", n.Claim},
		{"judges", n.Property + " of each call, for " + string(n.Clause)},
		{"calls", fmt.Sprintf("%d, %d at once", n.N, n.Concurrency)},
		{"proven by", fmt.Sprintf("at most %d violations: then the rate is at most %g, with %g %% confidence", n.Allowed, n.Threshold, 100*n.Confidence)},
		{"calls meet", strings.Join(n.Mix, "; ")},
		{"ends when", n.Stop},
		{"needs", orDash(n.Needs)},
	}
	if err := table(w, rows); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nrun it:  oncecheck run --lane %s --only %s\n", harness.LaneNFR, n.ID)
	return nil
}
