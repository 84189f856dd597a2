// Package profile reads what a target declares about itself: its URL, its
// principals, its routes, its dialect, and how its effects can be read.
//
// Why it looks like this: a profile is the only thing that a stranger writes,
// mostly by trial and error, and everything that a run concludes rests on it. A
// misspelt key that is silently ignored would become a capability that silently
// does not exist, and a clause that nobody tested. So nothing is ignored:
//
//   - Unknown keys, duplicate keys, values of the wrong kind and unknown
//     {{names}} are errors that show the line and suggest the nearest key. All
//     of them are reported at once.
//   - Keys are judged before values: while the text itself is wrong, its meaning
//     is not discussed.
//   - YAML anchors, aliases, tags and merge keys are refused. They save a few
//     lines and cost the reader the certainty of what is sent.
//   - Credentials come from the environment as ${NAME}. No value of the
//     environment and no credential of the file appears in an error.
//   - Bodies are templates that keep the order of their members, so that a
//     target that compares bytes sees the same bytes for the same request.
//
// A [Profile] is data. Nothing here opens a connection; the rig does.
package profile
