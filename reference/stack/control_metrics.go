package stack

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// getMetrics tells what all instances measured, as one text: the label instance
// says whose number it is. An instance that was replaced began again at zero.
func (s *supervisor) getMetrics(w http.ResponseWriter, r *http.Request) {
	admins := s.settings.admins()
	if len(admins) == 0 {
		writeError(w, http.StatusServiceUnavailable, errors.New("no instance is ready, so nothing is measured"))
		return
	}
	families := map[string]*dto.MetricFamily{}
	for _, admin := range admins {
		text, err := s.settings.admin.text(r.Context(), admin, pathMetrics)
		if err == nil {
			err = merge(families, text)
		}
		if err != nil {
			writeError(w, http.StatusServiceUnavailable, fmt.Errorf("read what an instance measured: %w", err))
			return
		}
	}
	format := expfmt.NewFormat(expfmt.TypeTextPlain)
	w.Header().Set("Content-Type", string(format))
	encoder := expfmt.NewEncoder(w, format)
	for _, name := range slices.Sorted(maps.Keys(families)) {
		if err := encoder.Encode(families[name]); err != nil {
			return // whoever asked left
		}
	}
}

// merge adds the metrics of a text to those of the same name.
func merge(families map[string]*dto.MetricFamily, text []byte) error {
	parser := expfmt.NewTextParser(model.LegacyValidation)
	found, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		return err
	}
	for name, family := range found {
		if families[name] == nil {
			families[name] = family
			continue
		}
		families[name].Metric = append(families[name].Metric, family.Metric...)
	}
	return nil
}
