package harness

import (
	"fmt"
	"slices"
	"strings"
)

// LinkUse is what plain checkouts were seen to do with the dependencies that the
// profile declares. The zero value saw nothing.
type LinkUse struct {
	called map[string]map[string]bool // operations by link: calls that belong to a checkout
	strays map[string][]Call          // calls that belong to nobody, by link
}

// Add takes a call that came through a link; mine says that it belongs to a plain
// checkout.
func (u *LinkUse) Add(call Call, mine bool) {
	if u.called == nil {
		u.called, u.strays = map[string]map[string]bool{}, map[string][]Call{}
	}
	if !mine {
		u.strays[call.Link] = append(u.strays[call.Link], call)
		return
	}
	if u.called[call.Link] == nil {
		u.called[call.Link] = map[string]bool{}
	}
	u.called[call.Link][call.Operation] = true
}

// Judge tells of each declared dependency, but those that a plain checkout need
// not call, whether it was called as declared.
func (u *LinkUse) Judge(links []LinkInfo, perSuccess map[string]int) []Tried {
	var list []Tried
	for _, l := range links {
		if l.Optional {
			continue
		}
		key := linkClaim + l.Name
		t := Tried{Name: key, Works: true, Reason: "the plain checkouts called it"}
		if missed := l.missed(u.called[l.Name], perSuccess); missed != "" {
			t.Works = false
			t.Reason = fmt.Sprintf("no call of the plain checkouts %s; %s, or, where a plain checkout does not call it, say %s.optional: true", missed, u.next(l), key)
		}
		list = append(list, t)
	}
	return list
}

// next says what to do about a link that was not called as declared: each of its
// causes shows in another way.
func (u *LinkUse) next(l LinkInfo) string {
	var unrouted, unowned []string
	for _, c := range u.strays[l.Name] {
		path, _, _ := strings.Cut(c.Path, "?")
		switch what := c.Method + " " + path; {
		case c.Operation == "":
			unrouted = addOnce(unrouted, what)
		case c.Reference == "":
			unowned = addOnce(unowned, what+" came as "+c.Operation+", and attribute finds nothing in it")
		default:
			unowned = addOnce(unowned, what+" came as "+c.Operation+", and what attribute finds in it is nothing of a checkout's")
		}
	}
	switch {
	case len(unowned) > 0:
		return strings.Join(unowned, "; ") + ": let attribute or attributeHeader name what holds the cart, the correlation id or the amount"
	case len(unrouted) > 0:
		return strings.Join(unrouted, ", ") + " came, which is none of its operations (" + l.names() + "): correct their method and path"
	case len(u.called[l.Name]) > 0:
		return "correct method and path of its operations, and what effect each leaves"
	}
	return "nothing was sent to its address: point the target at it"
}

// addOnce keeps three different texts: they are examples.
func addOnce(list []string, text string) []string {
	if slices.Contains(list, text) || len(list) == 3 {
		return list
	}
	return append(list, text)
}

func (l LinkInfo) names() string {
	var names []string
	for _, o := range l.Operations {
		names = append(names, o.Name)
	}
	return strings.Join(names, ", ")
}
