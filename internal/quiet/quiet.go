// Package quiet drops the log lines of the XLA packages, which otherwise appear between
// this program's own, even before main starts. Their errors are returned as well.
// Programs import it, packages do not: it affects the whole process.
//
// Go initializes packages in the order of their import paths as far as their
// imports allow, so this one comes before github.com/gomlx/go-xla/pjrt, which
// logs while it is initialized.
package quiet

import (
	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

func init() { klog.SetLogger(logr.Discard()) }
