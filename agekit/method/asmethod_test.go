package method

import (
	"fmt"
	"reflect"
)

// asMethod returns the method with the given settings and, in place of zeros, the method's defaults.
func asMethod(settings fitter) Method {
	info := entryOf(settings).Info
	info.Clusters = info.Clusters || isPublished(settings)
	return method{info: info, settings: filled(settings)}
}

// filled returns settings with the method's defaults, those of published mode if it is set, in place of the
// exported fields that are zero.
func filled[T fitter](settings T) T {
	defaults, _ := entryOf(settings).make(Settings{Published: isPublished(settings)})
	all := reflect.New(reflect.TypeOf(settings)).Elem()
	all.Set(reflect.ValueOf(settings))
	for i := range all.NumField() {
		if f := all.Field(i); f.CanSet() && f.IsZero() {
			f.Set(reflect.ValueOf(defaults).Field(i))
		}
	}
	return all.Interface().(T)
}

// isPublished reports whether settings have a field Published, and it is true.
func isPublished(settings fitter) bool {
	f := reflect.ValueOf(settings).FieldByName("Published")
	return f.IsValid() && f.Bool()
}

// entryOf returns the first entry of the registry that makes settings of the same kind.
func entryOf(settings fitter) entry {
	for _, e := range methods {
		if made, _ := e.make(Settings{}); kind(made) == kind(settings) {
			return e
		}
	}
	panic(fmt.Sprintf("%T is not in the registry", settings))
}

// kind returns a text that is the same for the settings of one method only: their type and, where methods
// share a type, the field that tells them apart.
func kind(settings fitter) string {
	switch m := settings.(type) {
	case gae:
		return fmt.Sprint("gae ", m.disentangled)
	case arga:
		return fmt.Sprint("arga ", m.variational)
	}
	return fmt.Sprintf("%T", settings)
}
