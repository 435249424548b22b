// Package toy has problems so small that the notebooks compute them exactly, and compare the library with the answer.
package toy
