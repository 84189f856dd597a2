package mutants

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"sync"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// sameCartMutants look at the cart where only the key says what one checkout is.
func sameCartMutants() []Mutant {
	return []Mutant{{
		Name:   "racing-key-told-success",
		Breaks: "takes another key for a cart that is being bought for the same purchase, and answers it with a success and an order that nobody makes",
		Kills:  []string{"SRS-CHK-001.56"},
		Needs:  []string{needEffects},
		Wrap: func(c *checkout.Config) {
			secondKey(c, func(first checkout.Record) bool { return !first.State.Terminal() }, func(r checkout.Record) checkout.Record {
				r.State, r.OrderID = checkout.Succeeded, "order_"+rand.Text()
				r.Response = c.Result(r, "")
				return r
			})
		},
	}, {
		Name:   "cart-sold-once",
		Breaks: "refuses another key for a cart that was bought, although it says that each key is a checkout",
		Kills:  []string{"SRS-CHK-001.56"},
		Needs:  []string{needEffects},
		Wrap: func(c *checkout.Config) {
			secondKey(c, func(first checkout.Record) bool { return first.State == checkout.Succeeded }, func(r checkout.Record) checkout.Record {
				r.State = checkout.FailedFinal
				r.Response = checkout.Answer{Status: http.StatusConflict, Header: http.Header{"Content-Type": {"application/json"}},
					Body: fmt.Appendf(nil, "{\"code\":\"CART_ORDERED\",\"message\":\"this cart was ordered already\",\"correlationId\":%q,\"retryable\":false}\n", r.CorrelationID)}
				return r
			})
		},
	}}
}

// cart is a version of somebody's cart.
type cart struct {
	owner   checkout.Owner
	id      string
	version int64
}

// secondKey answers a further key for one cart with what told makes of its request,
// for good, where the checkout under the first key is as when says. Nothing is done
// for it and nothing stored.
func secondKey(c *checkout.Config, when func(first checkout.Record) bool, told func(checkout.Record) checkout.Record) {
	var mu sync.Mutex
	firsts, working, answered := map[cart]string{}, map[checkout.Scope]bool{}, map[checkout.Scope]checkout.Record{}
	store := c.Store
	wrapReserve(func(right reservation) reservation {
		return func(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
			if r.Cancels != "" {
				return right(ctx, r)
			}
			mu.Lock()
			defer mu.Unlock()
			if stored, known := answered[r.Scope]; known {
				return stored, false, nil
			}
			of := cart{r.Owner, r.Order.CartID, r.Order.CartVersion}
			if first, err := store.Load(ctx, firsts[of]); err == nil && !working[r.Scope] && when(first) {
				r.RequestID = rand.Text() // the id of this request would say that it was reserved
				answered[r.Scope] = told(r)
				return answered[r.Scope], false, nil
			}
			stored, created, err := right(ctx, r)
			if created {
				firsts[of], working[r.Scope] = r.RequestID, true
			}
			return stored, created, err
		}
	})(c)
}
