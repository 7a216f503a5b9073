package device

import (
	"strconv"
	"strings"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/internal/system"
)

// memoryVariable limits how much of a GoMLX backend's device memory training may use.
const memoryVariable = "AGEKIT_DEVICE_MEMORY"

// available returns the memory for training on c's device, in bytes, and where the figure
// comes from: $AGEKIT_DEVICE_MEMORY, or for a CUDA plugin three quarters of the first GPU's
// memory, which is the most that XLA takes. (PJRT can report this, but go-xla does not query
// it.) For other backends, whose device is the processor, it is 0, which means no limit.
func available(c backend.Choice) (bytes int64, source string, err error) {
	if bytes, err = system.ByteVariable(memoryVariable); bytes > 0 || err != nil {
		return bytes, "$" + memoryVariable, err
	}
	if c.OnGPU() {
		return firstMiB(askNvidia("memory.total")) / 4 * 3, "three quarters of the GPU's", nil
	}
	return 0, "", nil
}

// askNvidia returns what nvidia-smi prints for a query, one line per GPU.
func askNvidia(query string) string {
	return system.ProgramAnswer("nvidia-smi", "--query-gpu="+query, "--format=csv,noheader,nounits")
}

// firstMiB returns the number of MiB in the first line of an answer, in bytes; 0 if it is
// something else.
func firstMiB(answer string) int64 {
	line, _, _ := strings.Cut(strings.TrimSpace(answer), "\n")
	mib, err := strconv.ParseInt(strings.TrimSpace(line), 10, 40)
	if err != nil {
		return 0
	}
	return mib << 20
}
