package run

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

const (
	// nameTerms and nameLength are the most features in a name, and the most letters of a
	// name with several.
	nameTerms, nameLength = 3, 44
	// termLength is the most letters of one feature.
	termLength = 40
	// termShare is the least strength of a feature, as a share of the strongest one's.
	termShare = 1. / 3
	// leastNumbered is the number of features with the same name but for a number from
	// which on such a name says nothing.
	leastNumbered = 8
	// leastShare is the least share of nodes that have a binary feature in a name, inside the
	// cluster, or outside for one that the cluster lacks.
	leastShare = 0.25
)

// stopWords are words of texts that name no cluster.
const stopWords = " a an and are as at be been but by can for from had has have he her his i in is it its not of on or she that the their they this to was we were which will with you "

// nameClusters names each cluster by its strongest nameable features: "island = Biscoe, high
// body_mass_g". Names that would be the same get further features, and the cluster's
// number if these are the same, too. A cluster without nameable features has no name.
func nameClusters(clusters []Cluster, nameable [][]Feature) {
	terms := make([][]string, len(clusters))
	used := make([]int, len(clusters)) // number of terms in the name
	for c := range clusters {
		terms[c] = termsOf(nameable[c])
		for used[c] < min(nameTerms, len(terms[c])) && (used[c] == 0 || utf8.RuneCountInString(strings.Join(terms[c][:used[c]+1], ", ")) <= nameLength) {
			used[c]++
		}
		clusters[c].Name = strings.Join(terms[c][:used[c]], ", ")
	}
	for {
		clustersByName := map[string][]int{}
		for c := range clusters {
			clustersByName[clusters[c].Name] = append(clustersByName[clusters[c].Name], c)
		}
		longer := false
		for name, sameName := range clustersByName {
			for _, c := range sameName {
				switch {
				case name == "" || len(sameName) == 1:
				case used[c] < len(terms[c]):
					clusters[c].Name += ", " + terms[c][used[c]]
					used[c]++
					longer = true
				case !strings.HasSuffix(name, fmt.Sprintf(" (%d)", c)):
					clusters[c].Name += fmt.Sprintf(" (%d)", c)
				}
			}
		}
		if !longer {
			return
		}
	}
}

// tellsName reports whether a feature, one of so many comparisons, may name a cluster: if its
// strength would be 3 or more in a single comparison (Bonferroni's correction: the tail of the
// normal distribution falls as e^(−z²/2)), and not too few nodes have it.
func (f *Feature) tellsName(comparisons int) bool {
	share := f.Inside
	if f.Strength < 0 {
		share = f.Outside
	}
	_, word, text := strings.Cut(f.Name, ": ")
	return !f.Numbered && f.Strength*f.Strength >= 9+2*math.Log(float64(comparisons)) &&
		(!f.Binary || share >= leastShare) && !(text && strings.Contains(stopWords, " "+word+" "))
}

// termsOf returns features in a few words each: first those that the cluster has, then
// those that it lacks.
func termsOf(features []Feature) (terms []string) {
	var rare []string
	for _, f := range features {
		if math.Abs(f.Strength) < termShare*math.Abs(features[0].Strength) {
			break
		}
		name := []rune(f.Name)
		if len(name) > termLength {
			name = append(name[:termLength-1], '…')
		}
		switch text := string(name); {
		case f.Binary && f.Strength < 0:
			rare = append(rare, "rarely "+text)
		case f.Binary:
			terms = append(terms, text)
		case f.Strength < 0:
			terms = append(terms, "low "+text)
		default:
			terms = append(terms, "high "+text)
		}
	}
	return append(terms, rare...)
}

// numbered reports which names differ from many others only by the number at their end,
// as those of an embedding's dimensions. Numbers that are values, as in "year = 1990" or
// "title: 1990", are no such numbers.
func numbered(names []string) []bool {
	stem := func(name string) string { return strings.TrimRight(name, "0123456789") }
	count := map[string]int{}
	for _, name := range names {
		count[stem(name)]++
	}
	is := make([]bool, len(names))
	for j, name := range names {
		s := stem(name)
		is[j] = s != "" && s != name && count[s] >= leastNumbered && !strings.Contains(name, " = ") && !strings.Contains(name, ": ")
	}
	return is
}
