package exercise

import (
	"testing"

	"github.com/agekit/age/internal/testutil"
)

func TestMain(m *testing.M) { testutil.NotebookMain(m) }
