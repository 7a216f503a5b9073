package files_test

import (
	"github.com/agekit/age/internal/files"
	"github.com/agekit/age/internal/testutil"
)

func init() { files.Interrupt = testutil.Interrupt }
