// Package recipe makes features of the columns of a table, and keeps how: a [Recipe] made by [New]
// belongs to the model that was trained with its features, and makes the same features of the same
// columns of other nodes. It hides what kind of column makes which features: it standardizes
// numbers, gives categories one feature per value, dates the time of the year and the day of the
// week, and text TF-IDF weights, and fills and marks gaps.
package recipe
