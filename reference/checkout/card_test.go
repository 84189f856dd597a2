package checkout

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestLuhn(t *testing.T) {
	for s, want := range map[string]bool{
		"4111111111111111": true, "4111 1111 1111 1111": true, "4111-1111-1111-1111": true,
		"378282246310005": true, "tok_4111111111111111": true, "x 4111111111111111 y": true,
		"tok 4111 1111 1111 1111": true, "pan=4111-1111-1111-1111": true, "card:4111 1111 1111 1111 exp 12/30": true,
		"4111 1111 1111 1111 12/30": true, "12 4111-1111-1111-1111": true, "visa 4222 222 222 222 or amex": true, "amex 3782 822463 10005 1234": true,
		"3f2504e0-4f89-41d3-9a0c-0305e82c3301 4111 1111 1111 1111": true,
		"tok 4111 1111 1111 1112":                                  false, "x4111 1111 1111 1111": false, "cart 4111/1111/1111/1111": false,
		"4111111111111112": false, "": false, "411111111111": false, "41111111111111111111": false,
		"a4111111111111111": false, "4111111111111111f": false, "3f2504e0-4f89-41d3-9a0c-0305e82c3301": false,
	} {
		if got := cardLike(s); got != want {
			t.Errorf("%q: %v, want %v", s, got, want)
		}
	}
}

func TestOneCheckDigitInTenIsRight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		head := rapid.StringMatching(`[0-9]{12,18}`).Draw(t, "digits")
		n := 0
		for d := range 10 {
			if luhn(head + string(rune('0'+d))) {
				n++
			}
		}
		if n != 1 {
			t.Fatalf("%d check digits fit %s, want 1", n, head)
		}
	})
}

func TestCardsAreFoundHoweverTheyAreGrouped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.StringMatching(`(2[2-7]|[3-6][0-9])[0-9]{10,16}`).Draw(t, "digits")
		for d := range 10 {
			if whole := digits + fmt.Sprint(d); luhn(whole) {
				digits = whole
				break
			}
		}
		written := digits[:1]
		for _, digit := range digits[1:] {
			written += rapid.SampledFrom([]string{"", "", "", " ", "-"}).Draw(t, "between") + string(digit)
		}
		before := rapid.SampledFrom([]string{"", "tok ", "pan=", "card:", "12 ", "no-"}).Draw(t, "before")
		behind := rapid.SampledFrom([]string{"", " exp 12/30", " 12/30", "-123", ";cvc=123"}).Draw(t, "behind")
		if s := before + written + behind; !cardLike(s) {
			t.Fatalf("%q passes", s)
		}
	})
}

func TestUUIDsAreNoCards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digit := rapid.SampledFrom([]string{"[0-9a-f]", "[0-9A-F]", "[0-9]", "[1-5]"}).Draw(t, "digit")
		id := rapid.StringMatching(strings.ReplaceAll(`d{8}-d{4}-[1-8]d{3}-[89]d{3}-d{12}`, "d", digit))
		before := rapid.SampledFrom([]string{"", "cart-", "tok_", "corr-", "order", "2026-", "4111 ", "urn:uuid:", "{"}).Draw(t, "before")
		behind := rapid.SampledFrom([]string{"", "-1", "-4111", " 4111", ":2", "}"}).Draw(t, "behind")
		for _, s := range []string{id.Draw(t, "id"), before + id.Draw(t, "id") + behind, id.Draw(t, "one") + "-" + id.Draw(t, "other")} {
			if cardLike(s) {
				t.Fatalf("%q is taken for a card", s)
			}
		}
	})
}

// Whatever the last digit is, and with it the sum.
func TestIdsOfTimesAreNoCards(t *testing.T) {
	for d := range 10 {
		for _, head := range []string{"cart-20261130-180139-1234", "cart 2026-11-30 18-01-39 12", "run-1796061699-12345", "corr-1796061699-123-"} {
			if s := head + fmt.Sprint(d); cardLike(s) {
				t.Errorf("%q is taken for a card", s)
			}
		}
	}
}
