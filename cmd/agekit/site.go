package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/agekit/age/internal/message"
)

type siteCmd struct {
	Serve siteServeCmd `cmd:"" help:"Serve the site's folder to the browsers of this machine, until it is interrupted."`
}

type siteServeCmd struct {
	Folder string `arg:"" optional:"" default:"reports/site" type:"path" placeholder:"DIR" help:"The folder that make site wrote (default: ${default})."`
	Port   int    `default:"0" help:"The port on 127.0.0.1; 0 is a free one."`
}

// Run serves files alone, to this machine alone, until it is interrupted: pages need no server, but
// some browsers open no programs from files.
func (c *siteServeCmd) Run(rt *Runtime) error {
	if c.Port < 0 || c.Port > 65535 {
		return misused("--port is %d: want 1 to 65535, or 0 for a free one", c.Port)
	}
	root, err := os.OpenRoot(c.Folder) // no link leads out of it
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := root.Stat("program.js"); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s has no program.js: want the folder that make site wrote", message.ShortPath(c.Folder))
	} else if err != nil {
		return err
	}
	var config net.ListenConfig
	listener, err := config.Listen(rt.Context, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(c.Port)))
	if err != nil {
		return err
	}
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: toThisMachine(http.FileServerFS(root.FS()), listener.Addr())}
	fmt.Fprintf(rt.Stdout, "http://%s/ (interrupt to stop)\n", listener.Addr())
	stop := context.AfterFunc(rt.Context, func() { server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// toThisMachine returns a handler that answers as files does, but refuses requests under another name than
// this machine's, 127.0.0.1 or localhost. The refusal names the address to use.
func toThisMachine(files http.Handler, address net.Addr) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if isOurs := host == "127.0.0.1" || host == "localhost"; err != nil || !isOurs {
			// A page of another site that gave its name this machine's address.
			http.Error(w, "want http://"+address.String(), http.StatusMisdirectedRequest)
			return
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("Content-Security-Policy", "frame-ancestors 'none'") // which a page cannot say itself
		files.ServeHTTP(w, r)
	})
}
