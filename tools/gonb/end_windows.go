package main

// endWithUs does nothing on Windows, where nobody has tried the kernel: after a hard kill gopls stays.
func endWithUs(string) error { return nil }
