// Command streams runs the preset Stream over real streams, beside Vowpal Wabbit and one-hot models.
//
//	streams --numbers 65536,1048576 --draws 3 --to streams.json
//	streams --streams ml_classes --models "stream;stream, no evidence" --one-hot
//
// It finds the data as gophe does: in the folders of PHE_DATA, and in data of the checkout.
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/experiments/streams"
)

func main() {
	if err := command().Execute(); err != nil {
		os.Exit(1)
	}
}

func command() *cobra.Command {
	var names, models, numbers, to, python string
	study := streams.Study{}
	c := &cobra.Command{Use: "streams", Short: "Run the preset Stream over real streams, row by row", Args: cobra.NoArgs, SilenceUsage: true}
	f := c.Flags()
	f.StringVar(&names, "streams", "retail_12,ml_4,ml_reg,retail_qty", "streams, of "+strings.Join(streams.Names(), ", "))
	f.StringVar(&models, "models", string(streams.Default)+";"+string(streams.NoPairs), "models, behind semicolons")
	f.StringVar(&numbers, "numbers", "65536,1048576", "budgets in numbers of 4 bytes")
	f.IntVar(&study.Draws, "draws", 3, "draws of the hash functions")
	f.BoolVar(&study.OneHot, "one-hot", false, "run one-hot models too")
	f.StringVar(&python, "wabbit", "", "Python that has vowpal-wabbit-next, to run Vowpal Wabbit too")
	f.StringVar(&to, "to", "", "file for the result, as JSON")
	c.RunE = func(*cobra.Command, []string) error {
		study.Streams = strings.Split(names, ",")
		for _, name := range strings.Split(models, ";") {
			m, err := streams.ParseModel(strings.TrimSpace(name))
			if err != nil {
				return err
			}
			study.Models = append(study.Models, m)
		}
		for _, text := range strings.Split(numbers, ",") {
			n, err := strconv.Atoi(text)
			if err != nil || n < 16 {
				return errors.Errorf("budget %q; want a number of at least 16", text)
			}
			study.Numbers = append(study.Numbers, n)
		}
		return run(study, python, to)
	}
	return c
}

func run(study streams.Study, python, to string) error {
	if study.Draws < 1 {
		return errors.Errorf("%d draws; want at least 1", study.Draws)
	}
	if python != "" {
		folder, err := os.MkdirTemp("", "wabbit")
		if err != nil {
			return errors.Wrap(err, "making a folder for Vowpal Wabbit")
		}
		defer os.RemoveAll(folder)
		study.Wabbit = &streams.Wabbit{Python: python, Folder: folder}
	}
	result, err := study.Run(os.Stdout)
	if err != nil || to == "" {
		return err
	}
	if err := result.Write(to); err != nil {
		return err
	}
	fmt.Println("wrote", to)
	return nil
}
