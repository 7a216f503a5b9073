package figure

import (
	"time"

	"github.com/janpfeifer/gonb/gonbui"
)

// afterText waits until the kernel has taken the text that the cell printed so far,
// since text and figures reach it through two pipes, and most figures would overtake
// the line before them. The kernel does not say when it has passed a text on, so a
// short pause after the pipe is empty has to do.
func afterText() {
	const longest, pause = time.Second, 3 * time.Millisecond
	for start := time.Now(); textWaits() && time.Since(start) < longest; {
		time.Sleep(pause / 10)
	}
	gonbui.Sync()
	time.Sleep(pause)
}
