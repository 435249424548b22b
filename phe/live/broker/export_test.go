package broker

import (
	"context"

	"github.com/nats-io/nats.go/jetstream"
)

// IsWhole calls isWhole for an object of a bucket.
func IsWhole(b *Bucket, ctx context.Context, info *jetstream.ObjectInfo) error {
	on, err := b.stores(ctx)
	if err != nil {
		return err
	}
	return on.isWhole(ctx, info)
}
