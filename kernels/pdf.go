package kernels

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/agekit/age/internal/files"
	"github.com/agekit/age/internal/system"
)

// BrowserVariable names a browser that is not where FindBrowser looks.
const BrowserVariable = "AGEKIT_CHROMIUM"

// Browsers that can print: names on the PATH, and where else systems have them.
var (
	browserNames  = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge", "chrome", "msedge"}
	browserPlaces = []string{
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
		"/Applications/Chromium.app/Contents/MacOS/Chromium",
		"/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
		"/opt/google/chrome/chrome",
		"/opt/microsoft/msedge/msedge",
		"/snap/bin/chromium",
		`C:\Program Files\Google\Chrome\Application\chrome.exe`,
		`C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe`,
	}
)

// FindBrowser returns the path of a browser that can print.
func FindBrowser() (string, error) {
	if named := os.Getenv(BrowserVariable); named != "" {
		path, err := exec.LookPath(named)
		if err != nil {
			return "", fmt.Errorf("%s is %s, which is no program: want the path of Chromium, Chrome or Edge", BrowserVariable, files.Quote(named))
		}
		return filepath.Abs(path)
	}
	for _, name := range append(browserNames, browserPlaces...) {
		if path, err := exec.LookPath(name); err == nil && filepath.IsAbs(path) {
			return path, nil
		}
	}
	return "", fmt.Errorf("no browser to print with: looked for %s on the PATH, and in the usual places of Chrome, Chromium and Edge; install Chromium, or set %s to a browser's path",
		strings.Join(browserNames, ", "), BrowserVariable)
}

// printTime is how long a browser may take to print a page.
const printTime = 2 * time.Minute

// PrintPDF prints a page to the file pdf, which it creates or replaces. The browser
// gets a profile of its own, and no network.
func PrintPDF(ctx context.Context, browser, page, pdf string) error {
	printed, err := printPDF(ctx, browser, page)
	if err != nil {
		return fmt.Errorf("%s: %w", pdf, err)
	}
	return files.Write(pdf, files.Bytes(printed))
}

func printPDF(ctx context.Context, browser, page string) ([]byte, error) {
	scratch, remove, err := files.ScratchFolder("agekit-report-")
	if err != nil {
		return nil, err
	}
	defer remove()
	ctx, cancel := context.WithTimeoutCause(ctx, printTime, fmt.Errorf("%s did not print it within %v", browser, printTime))
	defer cancel()
	address := url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(page), "/")}
	pdf := filepath.Join(scratch, "page.pdf")
	args := []string{
		"--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--proxy-server=127.0.0.1:1",
		"--user-data-dir=" + filepath.Join(scratch, "profile"),
		"--virtual-time-budget=10000", // for scripts that draw
		"--no-pdf-header-footer", "--print-to-pdf=" + pdf, address.String(),
	}
	if os.Geteuid() == 0 {
		args = append([]string{"--no-sandbox"}, args...) // it refuses to run as root with one
	}
	cmd, err := system.Command(ctx, browser, args...)
	if err != nil {
		return nil, err
	}
	var said bytes.Buffer
	cmd.Stderr = &said
	err = system.RunProgram(cmd.Run)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	printed, readErr := os.ReadFile(pdf)
	if readErr != nil {
		return nil, fmt.Errorf("%s wrote no PDF (%w)\n%s", browser, errors.Join(err, readErr), system.LastLines(said.Bytes(), 5))
	}
	if !bytes.HasPrefix(printed, []byte("%PDF-")) {
		return nil, fmt.Errorf("what %s wrote is not a PDF\n%s", browser, system.LastLines(said.Bytes(), 5))
	}
	return printed, nil
}
