// Reads objects of the Prometheus operator from standard input, one JSON object a line, into the operator's own types. A field that they lack is an error.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
)

func main() {
	kinds := map[string]func() any{
		monitoring.ServiceMonitorsKind: func() any { return new(monitoring.ServiceMonitor) },
		monitoring.PrometheusRuleKind:  func() any { return new(monitoring.PrometheusRule) },
	}
	read := 0
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var about struct{ Kind string }
		err := json.Unmarshal(lines.Bytes(), &about)
		if err == nil && kinds[about.Kind] == nil {
			err = fmt.Errorf("not a kind of the operator: %q", about.Kind)
		}
		if err == nil {
			decoder := json.NewDecoder(bytes.NewReader(lines.Bytes()))
			decoder.DisallowUnknownFields()
			err = decoder.Decode(kinds[about.Kind]())
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, about.Kind, err)
			os.Exit(1)
		}
		read++
	}
	fmt.Println(read)
}
