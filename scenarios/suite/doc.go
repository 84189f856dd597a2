// Package suite is the Ginkgo door to the catalogue: one spec for each
// scenario, with Ginkgo's focus, labels, parallel processes and reports.
//
// Why a door of its own: teams that live in Ginkgo want a failure where all
// their failures are. What is proven is the same as on the command line, by the
// same judges, with the same evidence in the run folder.
//
//	func TestOncecheck(t *testing.T) {
//		if err := suite.Register(suite.Options{Profile: "oncecheck.yaml"}); err != nil {
//			t.Fatal(err)
//		}
//		ginkgo.RunSpecs(t, "oncecheck")
//	}
//
// Register it in a suite of its own: Ginkgo allows one BeforeSuite.
//
// In one process the scenarios that measure times, and mostly wait, are carried
// out together while the others take their turns; their specs report what came
// of them. Only those that the filters choose are begun.
//
// Labels: each clause of a scenario, each capability that it needs, and the
// lane. The seed is Ginkgo's (-ginkgo.seed). Specs that lack a capability are
// skipped with the reason; a suite in which nothing passed fails, although
// Ginkgo alone would be content. Ginkgo's ways of hiding a failure by trying
// again (flake attempts, must pass repeatedly) are refused.
//
// In parallel the first process begins the run and the others join it. Each
// launches a target of its own with [Options.Serve]; a target named by a
// profile takes one process, because its links and its ledger belong to one.
// With fake: provider ([Options.Fakes]) that holds all the more: one process
// listens where the target calls, and the ledger is in its memory.
package suite
