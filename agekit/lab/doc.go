// Package lab holds what only the course needs: functions for cells of single notebooks
// (parts of a graph that can be drawn, signals, explorers, stored results of the paper's
// experiments, AGE written out), and [Claims], which compares a notebook's text with what
// its cells compute. Its exercises are in package exercise. What anyone calls with a graph
// of their own is in package agekit.
package lab

// version is the version of what this package computes itself: corners, explorers and the
// NMI of smoothed features. It grows when the same input gives another result, so that
// notebooks do not show what earlier versions stored.
const version = 2
