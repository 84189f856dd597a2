package profile

import (
	"reflect"

	"github.com/oncecheck/oncecheck/harness"
)

// Response says where an answer's fields are: one jq expression each, applied to
// the JSON body. What an expression does not find, or finds in another type than
// the field's, counts as absent.
type Response struct {
	RequestID     string `yaml:"requestId" jsonschema_description:"jq expression: text"`
	OrderID       string `yaml:"orderId" jsonschema_description:"jq expression: text"`
	State         string `yaml:"state" jsonschema_description:"jq expression: text"`
	Code          string `yaml:"code" jsonschema_description:"jq expression: text"`
	AttemptCount  string `yaml:"attemptCount" jsonschema_description:"jq expression: whole number"`
	UpdatedAt     string `yaml:"updatedAt" jsonschema_description:"jq expression: a time in RFC 3339, or a number that grows"`
	Retryable     string `yaml:"retryable" jsonschema_description:"jq expression: true or false"`
	CorrelationID string `yaml:"correlationId" jsonschema_description:"jq expression: text"`
}

// ResponseOf returns the complete mapping of an operation's answers: its own
// expressions first, then the profile's, then those of the dialect.
func (p *Profile) ResponseOf(op Operation) Response {
	r := Response{
		RequestID: ".requestId", OrderID: ".orderId", State: ".state", Code: ".code",
		AttemptCount: ".attemptCount", UpdatedAt: ".updatedAt", Retryable: ".retryable", CorrelationID: ".correlationId",
	}
	if p.Dialect.ErrorFormat == "problem" {
		r.Code = ".code // .type"
	}
	if base, err := presetNamed(p.Dialect.Base); err == nil {
		r = r.with(base.response)
	}
	for _, given := range []*Response{p.Response, op.Response} {
		if given != nil {
			r = r.with(*given)
		}
	}
	return r
}

// claimedResponses returns the expressions that were written for what a plain
// checkout should show. Codes are not among them: a success has none.
func (p *Profile) claimedResponses() []harness.ResponseClaim {
	if p.Checkout == nil {
		return nil
	}
	own, common, reads := p.Checkout.Response.fields(), p.Response.fields(), map[string]string{}
	if p.Status != nil {
		reads = p.Status.Response.fields()
	}
	var claims []harness.ResponseClaim
	for _, field := range []string{"requestId", "orderId", "state"} {
		switch {
		case own[field] != "":
			claims = append(claims, harness.ResponseClaim{Key: "checkout.response." + field, Field: field, Expression: own[field]})
		case common[field] != "":
			claims = append(claims, harness.ResponseClaim{Key: "response." + field, Field: field, Expression: common[field], Reads: p.Status != nil && reads[field] == ""})
		}
	}
	return claims
}

// fields returns the expressions that a plain checkout can prove, by their keys.
func (r *Response) fields() map[string]string {
	if r == nil {
		return nil
	}
	return map[string]string{"requestId": r.RequestID, "orderId": r.OrderID, "state": r.State}
}

// with replaces the expressions that the other one gives.
func (r Response) with(other Response) Response {
	from, into := reflect.ValueOf(other), reflect.ValueOf(&r).Elem()
	for i := range into.NumField() {
		if text := from.Field(i).String(); text != "" {
			into.Field(i).SetString(text)
		}
	}
	return r
}
