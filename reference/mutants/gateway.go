package mutants

import "slices"

// gatewayMutants are the rows of a gateway that is broken.
func gatewayMutants() []Mutant {
	rows := slices.Concat(fallbackMutants(), ownerMutants(), accessMutants(), failureMutants(), flagMutants(), telemetryMutants(),
		answerMutants(), resourceMutants(), secretMutants(), toldMutants(), safeMutants(), quietMutants())
	for i := range rows {
		rows[i].Needs = append([]string{needDependency, needGateway}, rows[i].Needs...)
	}
	return rows
}
