//go:build js

// Command program is agekit in a browser's worker: it answers the requests of the site's
// pages (package play).
package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"syscall/js"

	"github.com/agekit/age/site/play"
)

func main() {
	var p play.Player
	js.Global().Set("agekitCall", js.FuncOf(func(_ js.Value, args []js.Value) any {
		// In JavaScript: agekitCall(name, JSON of the arguments, {name: Float32Array}, done), which calls
		// done(error) or done(null, JSON of the value, {name: Float32Array}) when the reply is there.
		r := play.Request{Name: args[0].String(), Args: json.RawMessage(args[1].String()), Numbers: numbersFrom(args[2])}
		done := args[3]
		go func() { // a callback of the browser must not wait
			reply, err := call(&p, r)
			var value []byte
			if err == nil {
				value, err = json.Marshal(reply.Value)
			}
			if err != nil {
				done.Invoke(err.Error())
				return
			}
			done.Invoke(js.Null(), string(value), numbersTo(reply.Numbers))
		}()
		return nil
	}))
	js.Global().Call("agekitReady")
	select {}
}

// call returns p's reply to a request. A panic becomes an error, so that the page can show it.
func call(p *play.Player, r play.Request) (reply play.Reply, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("%s: a mistake in agekit: %v", r.Name, x)
		}
	}()
	return p.Call(context.Background(), r)
}

// numbersFrom returns the numbers in v, a page's object {name: Float32Array}. They are copied as bytes, which
// is the only way that js has, and which are little-endian.
func numbersFrom(v js.Value) map[string][]float32 {
	numbers := map[string][]float32{}
	keys := js.Global().Get("Object").Call("keys", v)
	for k := range keys.Length() {
		name := keys.Index(k).String()
		list := v.Get(name)
		raw := make([]byte, list.Get("byteLength").Int())
		js.CopyBytesToGo(raw, js.Global().Get("Uint8Array").New(list.Get("buffer"), list.Get("byteOffset"), len(raw)))
		values := make([]float32, len(raw)/4)
		for i := range values {
			values[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
		numbers[name] = values
	}
	return numbers
}

// numbersTo returns numbers as a page's object {name: Float32Array}.
func numbersTo(numbers map[string][]float32) js.Value {
	out := js.Global().Get("Object").New()
	for name, values := range numbers {
		raw := make([]byte, 0, 4*len(values))
		for _, v := range values {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
		}
		list := js.Global().Get("Uint8Array").New(len(raw))
		js.CopyBytesToJS(list, raw)
		out.Set(name, js.Global().Get("Float32Array").New(list.Get("buffer")))
	}
	return out
}
