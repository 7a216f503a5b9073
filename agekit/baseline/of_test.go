package baseline

import (
	"fmt"
	"reflect"
)

// of returns the method with the given settings.
func of(settings fitter) Method {
	for _, e := range methods {
		if made, _ := e.make(Settings{}); kind(made) == kind(settings) {
			published := reflect.ValueOf(settings).FieldByName("Published")
			return method{e.Info, settings, published.IsValid() && published.Bool()}
		}
	}
	panic(fmt.Sprintf("%T is not in the registry", settings))
}

// kind tells the settings of different methods apart.
func kind(settings fitter) string {
	switch m := settings.(type) {
	case gae:
		return fmt.Sprint("gae ", m.disentangled)
	case arga:
		return fmt.Sprint("arga ", m.variational)
	}
	return fmt.Sprintf("%T", settings)
}
