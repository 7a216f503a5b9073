package table

// Head is what is known of a table before its rows are scanned.
type Head struct {
	Names  []string   // of the columns; "" where there is none
	Header bool       // the table has names of columns
	Sample [][]string // the first rows
	// Numbers says of each column whether the file holds numbers or words; it is nil if the file
	// holds texts, whatever these say.
	Numbers []bool
	Text    bool // words such as NA say that a value is missing
}

// Choose chooses the columns that are scanned.
type Choose func(Head) (Chosen, error)

// Chosen are the columns whose fields a [Row] has.
type Chosen struct {
	Words  []int // by their indices
	Number int   // a column of numbers ([Head].Numbers); −1 for none
	// Pairs says that rows of two whole numbers may come as such ([Row].Pair).
	Pairs bool
}

// Row has the fields of the columns that were chosen. The next row takes its place.
type Row struct {
	Words  []string // as [Column.Cell] gives them
	Number float64  // NaN if it is missing

	Pair           bool // Source and Target are the row, in place of Words
	Source, Target int
}

// Scan calls do with each row of a table that was read.
func (t *Table) Scan(choose Choose, do func(*Row) error) error {
	var head Head
	for _, column := range t.Columns {
		head.Names = append(head.Names, column.Name)
	}
	head.Sample = make([][]string, min(t.Rows, sniffedRows))
	for i := range head.Sample {
		for k := range t.Columns {
			head.Sample[i] = append(head.Sample[i], t.Columns[k].Cell(i))
		}
	}
	chosen, err := choose(head)
	if err != nil {
		return err
	}
	row := Row{Words: make([]string, len(chosen.Words))}
	for i := range t.Rows {
		for j, k := range chosen.Words {
			row.Words[j] = t.Columns[k].Cell(i)
		}
		if err := do(&row); err != nil {
			return t.Errorf(i, "%w", err)
		}
	}
	return nil
}
