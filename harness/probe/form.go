package probe

import (
	"context"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// form says what the entries of a source look like, and what errors call it.
type form struct {
	key      string   // of the profile that declares it
	name     string   // in words
	identity string   // the members without which no entry can be told from another, in words
	members  []string // that an entry may have
	numbers  []string // those of them that are numbers
	needed   []string // those that a row must have
	cursor   string   // the number by which the next read goes on
}

// kind is a form of which entries of one type are made.
type kind[T any] struct {
	form
	// numbered says that each entry brings its number: its position means nothing.
	numbered bool
	read     func(object map[string]any) (T, error) // all but the cursor
	cursorOf func(*T) *int64
	nameOf   func(T) string
}

func ledger() form {
	return form{
		key: "effects", name: "the ledger", identity: "kind and id", cursor: "seq",
		members: []string{"seq", "kind", "id", "key", "reference", "correlationId", "amount", "currency", "at"},
		numbers: []string{"seq", "amount"}, needed: []string{"seq", "kind", "id"},
	}
}

func effects() kind[harness.Effect] {
	return kind[harness.Effect]{
		form: ledger(), read: effect,
		cursorOf: func(e *harness.Effect) *int64 { return &e.Seq },
		nameOf:   func(e harness.Effect) string { return entryName(e.Kind, e.ID) },
	}
}

func (f form) isNumber(member string) bool { return slices.Contains(f.numbers, member) }

// source is a place from which entries are read, in one of three ways.
type source interface {
	// read adds all entries to found and finishes it. Its errors say where it read.
	read(ctx context.Context, after int64, found sink) error
	// fresh reports whether only entries after {{since}} come, so that a position
	// means nothing.
	fresh() bool
}

// sink takes the entries of one read.
type sink interface {
	add(object map[string]any) error
	count() int
	finish() error
}

// gather reads the entries of a kind whose number is above after, in order.
func gather[T any](ctx context.Context, from source, k kind[T], after int64) ([]T, error) {
	found := &gathered[T]{kind: k, fresh: k.numbered || from.fresh()}
	if err := from.read(ctx, after, found); err != nil {
		return nil, err
	}
	return found.above(after), nil
}
