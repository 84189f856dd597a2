package harness

import (
	"errors"
	"fmt"
	"sync"
)

// Parallel calls do(0) to do(n-1) side by side and returns their errors joined
// in order. A panic of one becomes its error, so that no experiment can take
// the run down.
func Parallel(n int, do func(i int) error) error { return parallelLimit(n, n, do) }

// parallelLimit is Parallel with at most limit at a time, begun in order.
func parallelLimit(limit, n int, do func(i int) error) error {
	errs := make([]error, n)
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(limit, n) {
		wg.Go(func() {
			for i := range next {
				errs[i] = caught(do, i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	return errors.Join(errs...)
}

// caught makes an error of a panic.
func caught(do func(i int) error, i int) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return do(i)
}

func isNotSent(err error) bool { return errors.Is(err, ErrNotSent) }
