package main

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/alecthomas/kong"

	"github.com/agekit/age/agekit/settings"
	"github.com/agekit/age/internal/setting"
)

// allSettings are the fields of [settings.Settings] that flags set.
var allSettings = slices.DeleteFunc(setting.All(reflect.TypeFor[settings.Settings]()), func(s setting.Setting) bool { return s.Flag == "" })

// addSettings sets up the flags of k that set a field of settings.Settings, by the field's tags: the flag
// takes the words, numbers or texts that these allow, and its help shows their default.
func addSettings(k *kong.Kong) error {
	return kong.Visit(k.Model, func(v kong.Visitable, next kong.Next) error {
		n, isNode := v.(*kong.Node)
		if !isNode {
			return next(nil)
		}
		if n.Name == "sweep" { // it compares what AGE's views find
			n.Flags = slices.DeleteFunc(n.Flags, func(f *kong.Flag) bool { return f.Name == "method" || f.Name == "published" })
		}
		for _, f := range n.Flags {
			s := settingOf(f)
			f.PlaceHolder = cmp.Or(f.PlaceHolder, s.Zero)
			if s.Limited() {
				f.Mapper = valueParser(s)
			}
		}
		return next(nil)
	})
}

// valueParser returns the parser, for kong, of the value of a flag that sets s: it refuses values that s
// does not allow.
func valueParser(s setting.Setting) kong.Mapper {
	return kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
		var text string
		if err := ctx.Scan.PopValueInto("string", &text); err != nil {
			return err
		}
		return s.Parse(text, target)
	})
}

// settingOf returns the setting that the tags of a flag describe. A flag of no setting has no such tags: its
// setting has only a type.
func settingOf(f *kong.Flag) setting.Setting {
	return setting.Read(func(tag string) (string, bool) { return f.Tag.Get(tag), f.Tag.Has(tag) }, f.Target.Type())
}

// fitFlags returns the flags of agekit fit.
func fitFlags(app *kong.Application) []*kong.Flag {
	k := slices.IndexFunc(app.Children, func(n *kong.Node) bool { return n.Name == "fit" })
	return app.Children[k].Flags
}
