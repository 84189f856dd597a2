package harness

// Field says what a member of a checkout's body means. Which member that is,
// only the profile knows.
type Field string

// The fields that the requirements name.
const (
	FieldCart     Field = "cart"
	FieldVersion  Field = "cartVersion"
	FieldCurrency Field = "currency"
	FieldAmount   Field = "amount"
	FieldPayment  Field = "payment"  // the token that stands for a card
	FieldOptional Field = "optional" // a member that may be left out
	// FieldQuery stands for the query of the checkout's path, where it has one.
	FieldQuery Field = "query"
)

// Spelling is another way to write a JSON object: one that means the same, or one
// of the misspellings, which means nothing.
type Spelling string

// The spellings that mean the same.
const (
	SpeltReversed Spelling = "reversed" // the members in reverse order
	SpeltSpaced   Spelling = "spaced"   // with white space between all tokens
	SpeltDecimal  Spelling = "decimal"  // whole numbers as 1.0
	SpeltEscaped  Spelling = "escaped"  // the cart in escapes, "\u0063" for "c"; no text that may be a secret
)

// The misspellings: what is sent is no JSON object any more.
const (
	SpeltTruncated Spelling = "truncated" // all but the bracket that ends it
	SpeltEmpty     Spelling = "empty"     // nothing at all
	SpeltListed    Spelling = "listed"    // as the one element of an array
)

// Misspellings returns the ways to write what is no object.
func Misspellings() []Spelling { return []Spelling{SpeltTruncated, SpeltEmpty, SpeltListed} }

// Spellings returns those that mean the same.
func Spellings() []Spelling {
	return []Spelling{SpeltReversed, SpeltSpaced, SpeltDecimal, SpeltEscaped}
}

// RefreshedPrincipal returns the name under which the second credentials of a
// principal are kept.
func RefreshedPrincipal(name string) string { return "refreshed:" + name }

// The capabilities that requests can be altered by what they mean, and repeated
// with other credentials of the same caller.
const (
	CapFields    Capability = "request-fields"
	CapRefreshed Capability = "refreshed-credential"
	// A request has a member that may be left out; an answer can be made large.
	CapOptionalField Capability = "optional-field"
	CapLargeAnswer   Capability = "large-answer"
)
