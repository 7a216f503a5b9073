// Package notebook runs notebooks with the project's Jupyter and writes them as
// pages: HTML without a network, slides and PDF. The pages themselves are made by
// scripts/run_notebook.py.
package notebook
