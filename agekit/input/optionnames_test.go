package input

// texts returns what warnings say.
func texts(warnings []Warning) (all []string) {
	for _, w := range warnings {
		all = append(all, w.String())
	}
	return all
}
