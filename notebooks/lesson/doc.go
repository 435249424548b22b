// Package lesson has what the notebooks teach with: problems so small that a cell computes them exactly and compares the library with the
// answer, and pictures by name. A cell computes values and hands them to a picture:
//
//	cell.Figure(lesson.Arrivals(cell.Read("adult-by-group")))
//
// Most files hold the pictures and the tables of one notebook. Some pictures follow controls, which package cell puts under them.
package lesson
