package harness

import (
	"fmt"
	"hash/fnv"
	"maps"
)

// Canary is the name of a text that is unique to the run and that nobody may
// repeat: whoever finds it where it was not sent has found a leak. In everything
// that a run writes its marker stands for it, ⟦canary:key⟧.
type Canary string

// The canaries, by where they are sent.
const (
	CanaryHeader   Canary = "header"   // credentials in a header line
	CanaryKey      Canary = "key"      // an idempotency key
	CanaryBody     Canary = "body"     // what a request says
	CanaryURL      Canary = "url"      // and where it goes
	CanaryUpstream Canary = "upstream" // what a dependency says in its errors
	CanaryCard     Canary = "card"     // a card number, which satisfies its own check digit
	CanaryCVC      Canary = "cvc"      // a card's verification value
	CanaryToken    Canary = "token"    // what stands for a card
)

// Canaries returns all of them.
func Canaries() []Canary {
	return []Canary{CanaryHeader, CanaryKey, CanaryBody, CanaryURL, CanaryUpstream, CanaryCard, CanaryCVC, CanaryToken}
}

// Marker is what stands for the canary in a history.
func (c Canary) Marker() string { return "⟦canary:" + string(c) + "⟧" }

// AnyCanary begins every marker.
const AnyCanary = "⟦canary:"

// Canary returns the canary's text in this run. Most are shaped as a UUID, which
// every field takes. A card number is one of a range for tests; a verification
// value has more digits than a true one, whose three would be found anywhere by
// chance.
func (s *Session) Canary(c Canary) string { return canaryOf(s.run.id, c) }

func canaryOf(runID string, c Canary) string {
	text := runID + "\x00canary\x00" + string(c)
	switch c {
	case CanaryCard:
		return cardNumber(digitsOf(text, 9))
	case CanaryCVC:
		return digitsOf(text, 11)
	case CanaryToken:
		return "tok_" + uuidOf(text)
	}
	return uuidOf(text)
}

// digitsOf derives n digits, at most 18, from a text.
func digitsOf(text string, n int) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	digits := fmt.Sprintf("%020d", h.Sum64())
	return digits[len(digits)-n:]
}

// testRange begins card numbers that are nobody's.
const testRange = "400000"

// cardNumber returns a card number of 16 digits that ends in its check digit.
func cardNumber(account string) string {
	number, sum := testRange+account, 0
	for i := range len(number) {
		digit := int(number[len(number)-1-i] - '0')
		if i%2 == 0 {
			digit *= 2
			if digit > 9 {
				digit -= 9
			}
		}
		sum += digit
	}
	return fmt.Sprintf("%s%d", number, (10-sum%10)%10)
}

// withCanaries returns the secrets of the target and the canaries of a run.
func withCanaries(secrets map[string]string, runID string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, secrets)
	for _, c := range Canaries() {
		all[string(c)] = canaryOf(runID, c)
	}
	return all
}
