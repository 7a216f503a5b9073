package exercise

import (
	"testing"

	"github.com/agekit/age/internal/testnotebook"
)

func TestMain(m *testing.M) { testnotebook.Main(m) }
