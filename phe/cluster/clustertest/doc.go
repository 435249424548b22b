// Package clustertest supplies beliefs and streams of rows that test package cluster. [Linear] has an exact posterior, so a row that was
// lost or counted twice shows in it. [Vector] has deltas of any size.
package clustertest
