package main

import (
	"reflect"

	"github.com/alecthomas/kong"

	"github.com/agekit/age/internal/readfile"
)

// This part keeps the bytes of arguments. Kong hands them on as JSON, which has no place for names of files that
// are no UTF-8: it gets texts ([readfile.PathText]), from which the flags make the bytes again. Files with
// settings have the same texts.

// asTexts returns arguments as texts in UTF-8.
func asTexts(args []string) []string {
	texts := make([]string, len(args))
	for k, arg := range args {
		texts[k] = readfile.PathText(arg)
	}
	return texts
}

// parseText parses the value of a flag that is a text.
func parseText(ctx *kong.DecodeContext, target reflect.Value) error {
	return ctx.Scan.PopValueInto("string", target.Addr().Interface())
}

// textBytes returns a mapper that parses texts as m does, and makes of each the bytes for which it stands.
func textBytes(m kong.Mapper) kong.Mapper {
	return kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
		if err := m.Decode(ctx, target); err != nil {
			return err
		}
		if target.Kind() == reflect.String {
			target.SetString(readfile.TextPath(target.String()))
		}
		return nil
	})
}

// addPaths makes the flags and arguments of k that are paths, and the lists of texts in a file with settings, keep
// their bytes. All other texts are parsed by [parseText].
func addPaths(k *kong.Kong) error {
	return kong.Visit(k.Model, func(v kong.Visitable, next kong.Next) error {
		value, isValue := v.(*kong.Value)
		switch {
		case !isValue:
		case value.Tag.Type == "path":
			value.Mapper = textBytes(value.Mapper)
		case value.Target.Type() == reflect.TypeFor[[]string]():
			value.Mapper = listBytes(value.Mapper)
		}
		return next(nil)
	})
}

// listBytes returns a mapper that parses lists of texts as m does, which does not make bytes of the texts of a
// list that a file has.
func listBytes(m kong.Mapper) kong.Mapper {
	return kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
		list, isOfFile := ctx.Scan.Peek().Value.([]any)
		err := m.Decode(ctx, target)
		for k := 0; err == nil && isOfFile && k < len(list) && k < target.Len(); k++ {
			target.Index(k).SetString(readfile.TextPath(target.Index(k).String()))
		}
		return err
	})
}

// textOf returns the value of a setting for a file of JSON: texts, and those of a list, as [readfile.PathText]
// has them.
func textOf(value any) any {
	switch value := value.(type) {
	case string:
		return readfile.PathText(value)
	case []string:
		return asTexts(value)
	}
	return value
}
