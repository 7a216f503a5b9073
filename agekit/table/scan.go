package table

// Head is what is known of a table before its rows are scanned.
type Head struct {
	Names  []string   // of the columns; "" where there is none
	Header bool       // the table has names of columns
	Sample [][]string // the first rows
	// Numbers says of each column whether the file has numbers, true, or words in it. It is nil if the
	// file has no types, but texts that may be either.
	Numbers []bool
	Text    bool // the file is text, in which words such as NA say that a value is missing
}

// Choose chooses the columns that are scanned, by what is known of the table.
type Choose func(Head) (Chosen, error)

// Chosen are the columns whose fields a [Row] has.
type Chosen struct {
	Words  []int // the indices of the columns that come as words ([Row].Words)
	Number int   // the index of a column that comes as a number ([Head].Numbers); −1 for none
	// Pairs says that rows of two whole numbers may come as numbers, in place of words ([Row].Pair).
	Pairs bool
}

// Row has the fields of the columns that were chosen. A scan overwrites the same Row with each next row.
type Row struct {
	Words  []string // as [Column.Cell] gives them, in the order of [Chosen].Words
	Number float64  // NaN if it is missing, or no column of numbers was chosen

	Pair           bool // the row is Source and Target, and Words is not set
	Source, Target int
}

// Scan calls choose, and then do with each row of a table that was read, with the fields of the columns
// that choose returned. It takes no column of numbers and no pairs. Errors of do get the row's place.
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
