module github.com/oncecheck/oncecheck/scenarios/testdata/clients

go 1.26.0

require (
	github.com/hashicorp/go-retryablehttp v0.7.8
	github.com/oncecheck/oncecheck v0.0.0
)

require github.com/hashicorp/go-cleanhttp v0.5.2 // indirect

replace github.com/oncecheck/oncecheck => ../../..
