// Package picture has the pictures of the notebooks, by name. A cell computes values and hands them to a picture:
//
//	show.Figure(picture.Arrivals(show.Read("adult-by-group")))
//
// Each file holds the pictures and the tables of one notebook. Some pictures are callbacks of controls, for package play.
package picture
