package device

import (
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/internal/system"
)

// memoryVariable limits how much of a GoMLX backend's device memory training may use.
const memoryVariable = "AGEKIT_DEVICE_MEMORY"

// available returns the memory for training on each device of c, in bytes, and where
// the figure comes from: $AGEKIT_DEVICE_MEMORY, or for a CUDA plugin three quarters
// of the first GPU's memory (of the smallest, if it trains on several), which is the most
// that XLA takes. (PJRT can report this, but go-xla does not query it.) For other backends,
// whose device is the processor, it is 0, which means no limit.
func available(c backend.Choice) (bytes int64, source string, err error) {
	if bytes, err = system.ByteVariable(memoryVariable); bytes > 0 || err != nil {
		return bytes, "$" + memoryVariable, err
	}
	if strings.Contains(filepath.Base(c.Plugin), "cuda") {
		return leastMiB(askNvidia("memory.total"), c.Devices) / 4 * 3, "three quarters of the GPU's", nil
	}
	return 0, "", nil
}

// askNvidia returns what nvidia-smi prints for a query, one line per GPU.
func askNvidia(query string) string {
	return system.ProgramAnswer("nvidia-smi", "--query-gpu="+query, "--format=csv,noheader,nounits")
}

// leastMiB returns the least of the first lines of an answer, each a number of MiB, in bytes;
// 0 if one is something else.
func leastMiB(answer string, lines int) int64 {
	all := strings.Split(strings.TrimSpace(answer), "\n")
	least := int64(math.MaxInt64)
	for _, line := range all[:min(max(1, lines), len(all))] {
		mib, err := strconv.ParseInt(strings.TrimSpace(line), 10, 40)
		if err != nil {
			return 0
		}
		least = min(least, mib<<20)
	}
	return least
}
