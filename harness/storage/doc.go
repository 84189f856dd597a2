// Package storage looks into the store of a target: its files, which are searched
// for what must not be there, and the record of one request.
//
// Why the files: whether a card number is kept is not for the target's answers to
// say, nor for its queries, which show columns and neither a journal nor a page
// that was freed. What is in the files is what a thief of the disk gets. They are
// read as bytes, and a text is looked for as it is, in hexadecimal digits and in
// base64, since these hide nothing. A store that is encrypted or packed shows
// nothing, and then not what has to be there either: the engine has a known cart
// searched for along with the rest.
//
// Why a record by its own way: what an idempotent service keeps of a request has
// a different shape in each store. A jq expression, a query or a command brings
// it into one, and whatever it leaves out is missing to the judges: nothing is
// filled in.
package storage
