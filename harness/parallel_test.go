package harness

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestParallelLimit(t *testing.T) {
	broken := errors.New("broken")
	bubble(func(t *testing.T) {
		var mu sync.Mutex
		var begun []string
		began := time.Now()
		err := parallelLimit(2, 5, func(i int) error {
			mu.Lock()
			begun = append(begun, fmt.Sprintf("%d at %s", i, time.Since(began)))
			mu.Unlock()
			<-time.After(time.Duration(i+1) * time.Second)
			switch i {
			case 1:
				panic("out of range")
			case 4:
				return broken
			}
			return nil
		})
		slices.Sort(begun)
		if got, want := strings.Join(begun, ", "), "0 at 0s, 1 at 0s, 2 at 1s, 3 at 2s, 4 at 4s"; got != want {
			t.Errorf("begun %s, want %s", got, want)
		}
		if !errors.Is(err, broken) || !strings.Contains(err.Error(), "panic: out of range") {
			t.Errorf("ended with %v", err)
		}
	})(t)
}

// Callers that wait for each other have to be under way together.
func TestParallelIsSideBySide(t *testing.T) {
	var met sync.WaitGroup
	met.Add(50)
	err := Parallel(50, func(int) error {
		met.Done()
		met.Wait()
		return nil
	})
	if err != nil || Parallel(0, func(int) error { return errors.New("called") }) != nil {
		t.Error(err)
	}
}

// TestParallelSaysItOnce: what is wrong for all is one thing to mend.
func TestParallelSaysItOnce(t *testing.T) {
	other := errors.New("the other")
	err := Parallel(5, func(i int) error {
		switch i {
		case 0:
			return nil
		case 2:
			return other
		}
		return errors.New("the one")
	})
	if !errors.Is(err, other) || err.Error() != "the one\nthe other" {
		t.Errorf("got %v", err)
	}
}
