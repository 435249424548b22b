package main

const hashTests = "./phe/hash"

// hashing breaks the hash functions. Left out because nothing changes: `<` for `<=` in authors.go, where draws
// are rejected, and `<=` for `<` in drawBelow. They differ once in a billion draws and once in 2⁶¹.
var hashing = []mutant{
	{
		file: "phe/hash/carter_wegman.go", breaks: "2⁶¹ − 1 is not reduced to 0",
		old: "if sum >= mersenne {", new: "if sum > mersenne {", tests: hashTests,
	},
	{
		file: "phe/hash/carter_wegman.go", breaks: "the topmost bits are lost",
		old: " + hi>>58", new: "", tests: hashTests,
	},
	{
		file: "phe/hash/carter_wegman.go", breaks: "the carry is lost",
		old: "hi+carry", new: "hi+0*carry", tests: hashTests,
	},
	{
		file: "phe/hash/carter_wegman.go", breaks: "b is not added",
		old: "bits.Add64(lo, h.b, 0)", new: "bits.Add64(lo, 0*h.b, 0)", tests: hashTests,
	},
	{
		file: "phe/hash/carter_wegman.go", breaks: "a may be 0",
		old: "1 + drawBelow(source, mersenne-1)", new: "drawBelow(source, mersenne)", tests: hashTests,
	},
	{
		file: "phe/hash/carter_wegman.go", breaks: "the weight row is drawn as the first bucket is",
		old: "0x77656967687473", new: "bucketPurpose", tests: hashTests,
	},
	{
		file: "phe/hash/family.go", breaks: "all hash functions are the first one",
		old: "f.numBuckets.Of(exactMod(h, key))", new: "f.numBuckets.Of(exactMod(f.functions[0*h.a], key))", tests: hashTests,
	},
	{
		file: "phe/hash/family.go", breaks: "the seed does not count",
		old: "drawLinear(numHashes, seed, bucketPurpose)", new: "drawLinear(numHashes, 0, bucketPurpose)", tests: hashTests,
	},
	{
		file: "phe/hash/family.go", breaks: "the authors' weight row is among the buckets",
		old: "int32(f.numWeights.Of(key))", new: "int32(f.numBuckets.Of(key))", tests: hashTests,
	},
	{
		file: "phe/hash/key.go", breaks: "the key's second half is read backwards",
		old: "binary.BigEndian.Uint64(digest[8:])", new: "binary.LittleEndian.Uint64(digest[8:])", tests: hashTests,
	},
	{
		file: "phe/hash/authors.go", breaks: "a negative remainder keeps its distance from 0",
		old: "remainder += int64(prime)", new: "remainder = -remainder", tests: hashTests,
	},
	{
		file: "phe/hash/authors.go", breaks: "a and b are drawn in the other order",
		old: "\t\tfunctions[k].a = 1 + uint64(randInterval(source, uint32(prime-2)))\n\t\tfunctions[k].b = uint64(randInterval(source, uint32(prime-1)))",
		new: "\t\tfunctions[k].b = uint64(randInterval(source, uint32(prime-1)))\n\t\tfunctions[k].a = 1 + uint64(randInterval(source, uint32(prime-2)))", tests: hashTests,
	},
}
