// Package mapping finds the fields of a contract in the answers of a target that
// spells them its own way.
//
// Why expressions: one API calls the order "orderId", the next nests it, a third
// tells a decline only by a message of its session. A jq expression for each
// field says so in the profile, and judges go on comparing fields.
//
// An expression that does not parse is an error before anything is sent. One
// that finds nothing, fails on this body, or finds another type than the field
// has leaves the field empty: a judge then misses it and says so. Nothing is
// converted on the way, since an id that a mapping made up would be believed.
package mapping
