package main

import "strings"

// flagNames replaces the settings that errors of the packages name by the flags that
// set them.
var flagNames = strings.NewReplacer(
	"pos_start", "--pos-start", "pos_end", "--pos-end", "neg_start", "--neg-start", "neg_end", "--neg-end",
	"batch_size", "--batch", "update_every", "--update", "learning_rate", "--learning-rate", "epoch_pairs", "--epoch-pairs",
	"lower dims", "lower --dims", "clusters is ", "--clusters is ",
)

// flagError is an error in the words of the command line.
type flagError struct{ error }

func (e flagError) Error() string { return flagNames.Replace(e.error.Error()) }

func (e flagError) Unwrap() error { return e.error }

// inFlags returns an error that names flags instead of settings.
func inFlags(err error) error {
	if err == nil {
		return nil
	}
	return flagError{err}
}
