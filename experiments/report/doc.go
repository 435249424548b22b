// Package report makes the tables and pages that show results next to the paper's numbers.
//
// Open a folder of results with result.OpenFolder. [Report] then makes all pages, [Table] one table, and [Compare] the cells that a
// program can read. [CellTable], [Grid] and [CSV] show cells. [ResultTable] shows a result alone, and [AgainstTables] shows it next to
// the result whose spec it changed.
//
// The order follows a number on its way: from a result and a test of it to a cell, a table, a page and the report.
// Files, lowest first: source paper pair numbers drawstable cell compare outcome celltable resulttable against onepasstable pays late
// hours drawprice claims table pages onepasspage report.
package report
