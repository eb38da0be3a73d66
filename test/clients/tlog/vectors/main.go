// Prints the test vectors of github.com/transparency-dev/merkle as JSON: leaves, roots, and every proof between them.
package main

import (
	"encoding/json"
	"os"

	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/merkle/testonly"
)

type proof struct {
	First, Second uint64
	Path          [][]byte
}

func main() {
	leaves := testonly.LeafInputs()
	tree := testonly.New(rfc6962.DefaultHasher)
	tree.AppendData(leaves...)
	inclusion, consistency := []proof{}, []proof{}
	for size := uint64(1); size <= tree.Size(); size++ {
		for first := uint64(0); first < size; first++ {
			path, err := tree.InclusionProof(first, size)
			if err != nil {
				panic(err)
			}
			inclusion = append(inclusion, proof{first, size, path})
			path, err = tree.ConsistencyProof(first, size)
			if err != nil {
				panic(err)
			}
			consistency = append(consistency, proof{first, size, path})
		}
	}
	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"leaves": leaves, "roots": testonly.RootHashes(), "inclusion": inclusion, "consistency": consistency,
	})
}
