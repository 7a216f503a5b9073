package input

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// most is how many words of a text column count: the most frequent ones.
const most = 20_000

// learnWords sets the words of a text column and their weights, and counts all words.
func (c *RecipeColumn) learnWords(column *Column) (all int) {
	n := column.len()
	nodes := map[string]int{} // that have the word
	last := map[string]int{}
	for row := range n {
		text, _ := column.Text(row)
		eachWord(text, func(word string) {
			if last[word] != row+1 {
				last[word] = row + 1
				nodes[word]++
			}
		})
	}
	for word, df := range nodes {
		if df >= 2 && 2*df <= n {
			c.Values = append(c.Values, word)
		}
	}
	slices.SortFunc(c.Values, func(a, b string) int { return cmp.Or(nodes[b]-nodes[a], strings.Compare(a, b)) })
	c.Values = c.Values[:min(len(c.Values), most)]
	slices.Sort(c.Values)
	for _, word := range c.Values {
		c.IDF = append(c.IDF, math.Log(float64(1+n)/float64(1+nodes[word]))+1)
	}
	return len(nodes)
}

// eachWord calls do with each word of a text.
func eachWord(text string, do func(word string)) {
	inWord := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !inWord(r) }) {
		if len(word) > 1 && (len(word) > 4 || len([]rune(word)) > 1) {
			do(word)
		}
	}
}
