package harness

import (
	"crypto/sha256"
	"fmt"
)

// uuidOf derives a UUID from a text. It is none that a log takes for a card
// number: what is blanked out there could not be found again.
func uuidOf(text string) string {
	for n := 0; ; n++ {
		salted := text
		if n > 0 {
			salted = fmt.Sprintf("%s\x00%d", text, n)
		}
		sum := sha256.Sum256([]byte(salted))
		u := sum[:16]
		u[6] = u[6]&0x0f | 0x80 // version 8: custom
		u[8] = u[8]&0x3f | 0x80
		if id := fmt.Sprintf("%x-%x-%x-%x-%x", u[0:4], u[4:6], u[6:8], u[8:10], u[10:16]); !cardLike(id) {
			return id
		}
	}
}

// cardDigits is how many digits in a row look like a card number, whatever
// hyphens lie between them.
const cardDigits = 13

func cardLike(id string) bool {
	run := 0
	for i := range len(id) {
		switch {
		case id[i] >= '0' && id[i] <= '9':
			if run++; run >= cardDigits {
				return true
			}
		case id[i] != '-':
			run = 0
		}
	}
	return false
}
