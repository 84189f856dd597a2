package harness

import (
	"errors"
	"fmt"
	"sync"
)

// Parallel calls do(0) to do(n-1) side by side and returns their errors joined
// in order. A panic of one becomes its error, so that no experiment can take
// the run down.
func Parallel(n int, do func(i int) error) error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					errs[i] = fmt.Errorf("panic: %v", p)
				}
			}()
			errs[i] = do(i)
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

func isNotSent(err error) bool { return errors.Is(err, ErrNotSent) }
