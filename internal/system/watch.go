package system

import "time"

// WatchRise calls read again and again, each time after the duration every, until rise is called. rise ends
// that, and returns how far the highest value was above first.
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
