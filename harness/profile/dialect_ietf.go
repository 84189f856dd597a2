package profile

import "github.com/oncecheck/oncecheck/harness"

// ietf is the dialect of the Internet-Draft "The Idempotency-Key HTTP Header
// Field", draft-ietf-httpapi-idempotency-key-header.
//
// Source: the working group's copy of 26 February 2025, after revision 06,
// https://github.com/ietf-wg-httpapi/idempotency (also
// https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/),
// sections 2.1, 2.6 and 2.7. From public documentation, not verified live.
//
// The draft is silent on the longest key, on which refusal comes first, on
// server errors, on expiry, and on what a key belongs to: it leaves them to the
// resource. There the preset has the value of the requirements where that is the
// stricter one, and names nothing otherwise.
func ietf() preset {
	d := srs()
	d.Name = "ietf"
	d.KeySyntax = "structured" // "an Item Structured Header. Its value MUST be a String"
	d.KeyMax = 0
	d.ErrorFormat = "problem"

	d.Missing = harness.MissingKey{Refusal: answer("", 400)} // as problem+json, or with a Link to the documentation
	// A field that does not parse is ignored as if it were not there (RFC 9651,
	// section 4.2), and two lines do not parse as one item.
	d.Malformed = answer("", 400)
	d.Mismatch = harness.Mismatch{Mode: "refuse", Refusal: answer("", 422)}
	d.InProgress = harness.InProgress{Mode: "refuse", Refusal: answer("", 409)}
	d.Precedence = "any"

	d.RetentionMin, d.Expired = 0, "either" // the resource publishes its own policy
	d.StoreDown, d.Declined = harness.Refusal{}, harness.Refusal{}
	d.StatusNonOwner = 0
	return preset{Dialect: d}
}
