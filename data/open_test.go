package data_test

import (
	"testing"

	"gophe/data"
	"gophe/data/files"
	"gophe/phe/disk/filetest"
)

func TestOpenTable(t *testing.T) {
	table := filetest.Must(data.OpenTable("drawn", files.Options{}))(t)
	if table.Name != "drawn" || table.Truth == nil {
		t.Errorf("%q, truth %t", table.Name, table.Truth != nil)
	}
	filetest.WantError(t, filetest.Failure(data.OpenTable("thrown", files.Options{})), `unknown table "thrown"`, "retail-12, ml-4, drawn")
}
