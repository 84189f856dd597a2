package harness

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// Parallel calls do(0) to do(n-1) side by side and returns their errors joined
// in order, those that say the same once. A panic of one becomes its error, so
// that no experiment can take the run down.
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
	return joinDistinct(errs)
}

// joinDistinct joins errors, and those that say the same once.
func joinDistinct(errs []error) error {
	var told []error
	for _, err := range errs {
		if err != nil && !slices.ContainsFunc(told, func(other error) bool { return other.Error() == err.Error() }) {
			told = append(told, err)
		}
	}
	return errors.Join(told...)
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
