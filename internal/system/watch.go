package system

import "time"

// WatchRise reads a value again and again until rise is called, which returns how far the
// highest of them was above first.
func WatchRise(every time.Duration, first int64, read func() int64) (rise func() int64) {
	most, stop, done := first, make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		ticks := time.NewTicker(every)
		defer ticks.Stop()
		for {
			select {
			case <-ticks.C:
				most = max(most, read())
			case <-stop:
				return
			}
		}
	}()
	return func() int64 {
		close(stop)
		<-done
		return max(most, read()) - first
	}
}
