package device

import (
	"strconv"
	"strings"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/internal/system"
)

// memoryVariable limits how much of a GoMLX backend's device memory training may use.
const memoryVariable = "AGEKIT_DEVICE_MEMORY"

// available returns the memory for training on c's device, in bytes, and a text that says where the figure
// comes from. It is $AGEKIT_DEVICE_MEMORY or, for a CUDA plugin, three quarters of the first GPU's
// memory, which is the most that XLA takes, or what is free of that memory if it is less. (PJRT can
// report this, but go-xla does not query it.) For other backends, whose device is the processor, it
// is 0, which means no limit.
func available(c backend.Choice) (bytes int64, source string, err error) {
	if bytes, err = system.ByteVariable(memoryVariable); bytes > 0 || err != nil {
		return bytes, "$" + memoryVariable, err
	}
	if c.OnGPU() {
		total, free := firstMiB(askNvidia("memory.total,memory.free"))
		most := total / 4 * 3
		if free > 0 && free < most {
			return free, "what is free on the GPU", nil
		}
		return most, "three quarters of the GPU's", nil
	}
	return 0, "", nil
}

// askNvidia returns what nvidia-smi prints for a query, one line per GPU.
func askNvidia(query string) string {
	return system.ProgramAnswer("nvidia-smi", "--query-gpu="+query, "--format=csv,noheader,nounits")
}

// firstMiB returns the two numbers in the first line of an answer of nvidia-smi, which has them in MiB, as
// bytes; 0 for what is no number.
func firstMiB(answer string) (total, free int64) {
	line, _, _ := strings.Cut(strings.TrimSpace(answer), "\n")
	first, second, _ := strings.Cut(line, ",")
	bytes := func(text string) int64 {
		mib, err := strconv.ParseInt(strings.TrimSpace(text), 10, 40)
		if err != nil {
			return 0
		}
		return mib << 20
	}
	return bytes(first), bytes(second)
}
