// Package exercise checks the answers to the notebooks' exercises. A check says
// whether an answer is right, and if it is not, what is wrong with it and why.
//
// Exercise 2.1 is the first of notebook 2. Each notebook has three: predict a result
// before you compute it, change a setting and explain what happens, build a part
// yourself. The solutions are in the folder solutions.
package exercise
