package main

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v3"
)

// payment is how long the payment of an order takes. It stands for the outside
// world: a shop that answers at once would hide what duplicates do meanwhile.
const payment = 200 * time.Millisecond

// customer is who a bearer token stands for.
type customer struct{ name, tenant string }

// order is what one checkout leaves in the ledger.
type order struct {
	Seq       int    `json:"seq"`
	Kind      string `json:"kind"`
	ID        string `json:"id"`
	Reference string `json:"reference"` // the cart
	Amount    int64  `json:"amount"`
	Customer  string `json:"customer"`
}

// shop keeps its orders in memory. Its zero value is ready to use.
type shop struct {
	mu     sync.Mutex
	orders []order
}

// app puts the middlewares before the checkout, in the order given. Whoever
// reads the ledger passes none of them.
func (s *shop) app(middlewares ...any) *fiber.App {
	app := fiber.New()
	app.Get("/ledger", s.ledger)
	app.Use(middlewares...)
	app.Post("/checkout", s.checkout)
	app.Get("/checkout/:id", s.status)
	return app
}

// authenticate turns the bearer token into a customer.
func authenticate(c fiber.Ctx) error {
	token, _ := strings.CutPrefix(c.Get(fiber.HeaderAuthorization), "Bearer ")
	known, ok := map[string]customer{
		"alice-token": {"alice", "t1"}, "bob-token": {"bob", "t1"}, "carol-token": {"carol", "t2"},
	}[token]
	if !ok {
		return fiber.ErrUnauthorized
	}
	c.Locals(customer{}, known)
	return c.Next()
}

func (s *shop) checkout(c fiber.Ctx) error {
	var cart struct {
		ID           string `json:"cartId"`
		Amount       int64  `json:"amount"`
		PaymentToken string `json:"paymentToken"`
	}
	if err := c.Bind().JSON(&cart); err != nil || cart.ID == "" || cart.Amount <= 0 {
		return fiber.ErrBadRequest
	}
	<-time.After(payment)
	if cart.PaymentToken == "tok_declined" {
		return c.Status(fiber.StatusPaymentRequired).JSON(fiber.Map{"code": "PAYMENT_DECLINED"})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.orders) + 1
	made := order{n, "order", fmt.Sprintf("ord-%06d", n), cart.ID, cart.Amount, fiber.Locals[customer](c, customer{}).name}
	s.orders = append(s.orders, made)
	return c.Status(fiber.StatusCreated).JSON(answer(made))
}

func (s *shop) status(c fiber.Ctx) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.orders {
		if answer(o)["requestId"] == c.Params("id") && o.Customer == fiber.Locals[customer](c, customer{}).name {
			return c.JSON(answer(o))
		}
	}
	return fiber.ErrNotFound
}

func answer(o order) fiber.Map {
	return fiber.Map{"requestId": strings.Replace(o.ID, "ord", "req", 1), "orderId": o.ID, "state": "COMPLETED"}
}

func (s *shop) ledger(c fiber.Ctx) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	since := min(max(fiber.Query[int](c, "since"), 0), len(s.orders))
	return c.JSON(fiber.Map{"entries": append([]order{}, s.orders[since:]...)})
}
