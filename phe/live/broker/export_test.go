package broker

var IsWhole = (*Bucket).isWhole
