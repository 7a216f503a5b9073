package encoder

import (
	"runtime"
	"runtime/metrics"
)

// collect runs the garbage collector if much was allocated since it last ran: what a
// stage leaves would stay until the heap has grown by half. On small graphs, a
// collection would take longer than the stage.
func collect() {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(heap)
	if heap[0].Value.Uint64() > heap[1].Value.Uint64()+8<<20 {
		runtime.GC()
	}
}
