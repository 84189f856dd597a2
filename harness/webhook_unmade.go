package harness

// Unmade returns a payment that nobody made. Its ids have the form of one that was:
// a target that looks at the form only must not tell the two apart.
func (s *Session) Unmade(like Effect) Effect {
	return Effect{Kind: like.Kind, ID: s.unlike(like.ID), Key: s.unlike(like.Key)}
}

// unlike replaces the last letters and digits of an id by others of their kind.
func (s *Session) unlike(id string) string {
	text, by := []byte(id), s.unique("unmade", id)
	for i, left := len(text)-1, unlikeEnd; i >= 0 && left > 0; i-- {
		for _, kind := range []struct{ first, size byte }{{'0', 10}, {'a', 6}, {'g', 20}, {'A', 6}, {'G', 20}} {
			if at := text[i] - kind.first; text[i] >= kind.first && at < kind.size {
				text[i] = kind.first + (at+1+by[left]%(kind.size-1))%kind.size
				left--
				break
			}
		}
	}
	return string(text)
}

// unlikeEnd is how much of an id is replaced: enough that nobody has the other, and
// little enough to keep a prefix or a version.
const unlikeEnd = 8
