package hash_test

import (
	"fmt"

	"gophe/phe/hash"
)

// The sizes are the paper's for Adult: 7 buckets, 3 hash functions, 11 weight rows.
func ExampleNewFamily() {
	family, err := hash.NewFamily(hash.CarterWegman, 3, 7, 11, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, item := range []string{"education_Bachelors", "Country_日本"} {
		key := hash.CarterWegman.Key(item)
		fmt.Println(item, key, family.Buckets(nil, key), family.WeightRow(key))
	}
	// Output:
	// education_Bachelors 615696185050231416 [2 4 1] 0
	// Country_日本 1197738501624416859 [6 0 2] 8
}

// The authors' program: the seed, here 1, is ignored.
func ExampleNewFamily_authors() {
	family, err := hash.NewFamily(hash.Authors, 3, 7, 11, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, item := range []string{"education_Bachelors", "education_HS-grad"} {
		key := hash.Authors.Key(item)
		fmt.Println(item, key, family.Buckets(nil, key), family.WeightRow(key))
	}
	// Output:
	// education_Bachelors 2576184360252415 [0 4 1] 0
	// education_HS-grad 8283244059678832 [2 2 6] 2
}

func ExampleVariant_Key() {
	fmt.Println(hash.Authors.Key("odor_NONE"))
	fmt.Println(hash.CarterWegman.Key("odor_NONE"))
	// Output:
	// 1470019144606654
	// 641591195933324766
}

func ExampleNewFamily_unknown() {
	_, err := hash.NewFamily("md5", 3, 109, 109, 0)
	fmt.Println(err)
	// Output:
	// unknown hash variant "md5", allowed are "authors", "carter-wegman" and "quick"
}

// Buckets appends, so that one slice can take the buckets of a whole batch.
func ExampleFamily_Buckets() {
	family, err := hash.NewFamily(hash.Authors, 3, 109, 109, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	rows := make([]int32, 0, 2*3)
	for _, item := range []string{"odor_NONE", "workclass_Private"} {
		rows = family.Buckets(rows, hash.Authors.Key(item))
	}
	fmt.Println(rows)
	// Output:
	// [36 93 64 58 90 84]
}

func ExampleFamily_WeightRow() {
	family, err := hash.NewFamily(hash.Authors, 3, 7, 11, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(family.WeightRow(hash.Authors.Key("poutcome_unknown")))
	// Output:
	// 10
}
