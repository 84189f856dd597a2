package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ResponseClaim is an expression of the profile's own that says where answers name
// a field which a plain checkout should show. What a dialect assumes is none.
type ResponseClaim struct {
	Key        string // of the profile
	Field      string // requestId, orderId or state
	Expression string
	Reads      bool // the answers to status reads may show it as well
}

// in reports whether the expression found something in the answer.
func (c ResponseClaim) in(a Answer) bool {
	switch c.Field {
	case "requestId":
		return a.RequestID != ""
	case "orderId":
		return a.OrderID != ""
	}
	return a.State != ""
}

// Missing says, where none of the answers shows the field, which members they have
// instead, or "". What never finds anything keeps its checks from seeing anything,
// and nothing else would tell.
func (c ResponseClaim) Missing(plain, reads []Answer) string {
	if !c.Reads {
		reads = nil
	}
	if len(plain) == 0 || slices.ContainsFunc(slices.Concat(plain, reads), c.in) {
		return ""
	}
	told := "no answer to a plain checkout"
	if len(reads) > 0 {
		told += " or to a status read of it"
	}
	return fmt.Sprintf("%s has %s%s", told, c.Expression, members(plain[0]))
}

// members names what an answer's body holds, to compare an expression with.
func members(a Answer) string {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(a.Body), &object) != nil || len(object) == 0 {
		return ""
	}
	return " (members: " + strings.Join(slices.Sorted(maps.Keys(object)), ", ") + ")"
}

// responseClaims are those about where answers say what. Outside of a run no plain
// checkout has been made for them.
func (s *Session) responseClaims(known string) []claim {
	if len(s.plain) == 0 {
		return nil
	}
	var claims []claim
	for _, r := range s.target.Info.Responses {
		claims = append(claims, claim{r.Key, r.Key, func(ctx context.Context, c *Case) (string, error) {
			var reads []Answer
			if r.Reads && r.Missing(s.plain, nil) != "" {
				read := s.Send(ctx, c, Attempt{Operation: OpStatus, Principal: s.DefaultPrincipal(), Vars: map[string]any{"requestId": known}})
				if read.Err != nil {
					return "", fmt.Errorf("%s, and a status read got no answer: %w", r.Missing(s.plain, nil), read.Err)
				}
				reads = append(reads, read.Answer)
			}
			if problem := r.Missing(s.plain, reads); problem != "" {
				return "", errors.New(problem)
			}
			return "the answers to plain checkouts show it, or a status read does", nil
		}})
	}
	return claims
}
