package broker_test

import (
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/broker"
)

// An address names servers and a stream. One with a secret is refused, and the error does not repeat it.
func TestAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"nats://a/sales":                    "nats://a sales",
		"nats://a:4222,b:4222,c:4222/sales": "nats://a:4222,nats://b:4222,nats://c:4222 sales",
		"nats://a,nats://b/s.t":             "nats://a,nats://b s.t",
	} {
		if urls, name, err := broker.Address(address); err != nil || urls+" "+name != want {
			t.Errorf("%s: %s %s %v", address, urls, name, err)
		}
	}
	for _, address := range []string{"nats://", "nats:///sales", "nats://a", "nats://a/"} {
		_, _, err := broker.Address(address)
		filetest.WantError(t, err, "write nats://HOST/STREAM")
	}
	for _, address := range []string{"nats://eve:hush@a/sales", "nats://hush@a/sales", "nats://a,eve:hush@b/sales",
		"nats://eve:hu/sh@a/sales"} {
		_, _, err := broker.Address(address)
		filetest.WantError(t, err, "the servers' address holds a user, a password or a token")
		_, connecting := broker.Connect(t.Context(), broker.Options{URLs: address})
		filetest.WantError(t, connecting, "the servers' address holds a user, a password or a token")
		if strings.Contains(err.Error()+connecting.Error(), "hush") {
			t.Errorf("the error repeats the secret: %v, %v", err, connecting)
		}
	}
}
