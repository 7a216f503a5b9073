package input

import "fmt"

import "errors"

import "encoding/xml"

import "strings"

import "bufio"

import "io"

import "context"

// xmlElements calls start with each element of a document; the function may read
// the element's content from the decoder.
func xmlElements(ctx context.Context, r io.Reader, start func(d *xml.Decoder, e xml.StartElement) error) error {
	d := xml.NewDecoder(r)
	for k := 0; ; k++ {
		if k&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		token, err := d.Token()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			if e, ok := token.(xml.StartElement); ok {
				err = start(d, e)
			}
		}
		if err != nil {
			var syntax *xml.SyntaxError
			if errors.As(err, &syntax) {
				return fmt.Errorf("line %d: %s: want XML", syntax.Line, syntax.Msg)
			}
			line, _ := d.InputPos()
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
}

// xmlWriter keeps the first error.
type xmlWriter struct {
	w   *bufio.Writer
	err error
	b   strings.Builder
}

func (x *xmlWriter) print(parts ...string) {
	for _, part := range parts {
		if x.err == nil {
			_, x.err = x.w.WriteString(part)
		}
	}
}

func (x *xmlWriter) escape(s string) string {
	if !strings.ContainsAny(s, "<>&\"'\t\n\r") && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0xfffd || r > 0xffff }) {
		return s
	}
	x.b.Reset()
	_ = xml.EscapeText(&x.b, []byte(s))
	return x.b.String()
}

func (x *xmlWriter) end() error {
	if x.err != nil {
		return x.err
	}
	return x.w.Flush()
}
