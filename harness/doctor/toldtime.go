package doctor

// toldTime says which command leaves a clock moved if a run is killed: the guard
// that undoes other commands cannot tell it the time.
func (x *examination) toldTime() {
	for _, key := range x.subject.ToldTime {
		x.add(key, Hint, "let the command take {{offset}}, the distance from the true time: then a guard puts it back", "nothing puts it back if a run is killed: its command is told the time to show")
	}
}
