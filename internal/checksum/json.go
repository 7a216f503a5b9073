package checksum

import (
	"encoding/json"

	"github.com/agekit/age/internal/readfile"
)

// plainFile is a File without its methods.
type plainFile File

// MarshalJSON writes the file with its path as a text ([readfile.PathText]).
func (f File) MarshalJSON() ([]byte, error) {
	f.Path = readfile.PathText(f.Path)
	return json.Marshal(plainFile(f))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (f *File) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, (*plainFile)(f)); err != nil {
		return err
	}
	f.Path = readfile.TextPath(f.Path)
	return nil
}
