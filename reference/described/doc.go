// Package described holds the answers of an API against its description in OpenAPI.
//
// Why: a description that nobody checks is a rumour. Tests hand over every answer
// that they get, so that what the service says and what its document promises
// cannot part. An answer with a status, a header or a member that the document does
// not know is wrong, and so is one that lacks what the document requires.
package described
