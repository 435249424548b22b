// Package lesson has the notebooks' examples and pictures. The examples are small: a cell computes them exactly, and compares the library
// with the answer. A cell hands its values to a picture:
//
//	cell.Figure(lesson.Arrivals(cell.Read("adult-by-group")))
//
// Most files hold the pictures and the tables of one notebook. Some pictures follow controls, which package cell puts under them.
package lesson
