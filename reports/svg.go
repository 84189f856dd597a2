package reports

import (
	"fmt"
	"html/template"
	"strings"
)

// Measures of a picture, in CSS pixels.
const (
	gutter      = 76  // for the time, left of the first lifeline
	callerGap   = 84  // between callers
	wideGap     = 240 // between the last caller and the target, and the target and its first dependency
	laneGap     = 104 // between dependencies, and before the ledger
	rightMargin = 178 // for the names of effects
	headHeight  = 46
	rowHeight   = 27
	wireBefore  = 40 // the wire lies this far left of the lifeline it leads to
	labelRunes  = 46
)

// svg draws a diagram. Its colours come from classes, so that it follows the
// page's theme; its text is text, so that it can be searched and read aloud.
//
// scenario is the anchor of the scenario, below which the events are anchored;
// n tells its pictures apart. A milestone that belongs to all cases is anchored
// in the first picture only.
func (d diagram) svg(scenario string, n int) template.HTML {
	p := painter{d: d, scenario: scenario, first: n == 0}
	id := fmt.Sprintf("%s-p%d", scenario, n)
	p.place()
	height := headHeight + rowHeight*len(d.rows) + 18
	if d.more > 0 {
		height += rowHeight
	}
	p.f(`<svg role="img" aria-labelledby="%s-t %s-d" width="%d" height="%d" viewBox="0 0 %d %d">`, id, id, p.width, height, p.width, height)
	p.f(`<title id="%s-t">Sequence of case %s</title><desc id="%s-d">%s</desc>`, id, esc(d.label), id, esc(d.describe()))
	for i, r := range d.rows {
		if r.witness {
			p.f(`<rect class="wit" x="0" y="%d" width="%d" height="%d" rx="3"/>`, p.y(i)-20, p.width, rowHeight-1)
		}
	}
	for _, b := range d.bands {
		x := p.wire(b.lane)
		p.f(`<rect class="band" x="%d" y="%d" width="12" height="%d"/>`, x-6, p.y(b.first)-4, p.y(b.last)-p.y(b.first)+8)
	}
	p.lifelines(height)
	for i, r := range d.rows {
		p.row(i, r)
	}
	if d.more > 0 {
		p.f(`<text class="rule" x="%d" y="%d">… and %s not drawn; the history has them</text>`, gutter, p.y(len(d.rows)), plural(d.more, "more exchange"))
	}
	p.b.WriteString(`</svg>`)
	return template.HTML(p.b.String())
}

// esc is the one way for text into a picture.
func esc(s string) string { return template.HTMLEscapeString(printable(s)) }

type painter struct {
	d        diagram
	scenario string // anchor
	first    bool   // the first picture of its scenario
	b        strings.Builder
	x        []int // of each lane
	target   int
	width    int
}

func (p *painter) f(format string, args ...any) { fmt.Fprintf(&p.b, format, args...) }

func (p *painter) place() {
	x := gutter + 26
	for i, l := range p.d.lanes {
		if i > 0 {
			switch {
			case l.kind == laneCaller:
				x += callerGap
			case l.kind == laneTarget, p.d.lanes[i-1].kind == laneTarget:
				x += wideGap
			default:
				x += laneGap
			}
		}
		if l.kind == laneTarget {
			p.target = i
		}
		p.x = append(p.x, x)
	}
	p.width = x + rightMargin
	if p.d.lanes[len(p.d.lanes)-1].kind != laneLedger {
		p.width = x + laneGap/2
	}
}

func (p *painter) y(row int) int { return headHeight + rowHeight*row + 20 }

// wire is where faults act on the link that leads to a lane.
func (p *painter) wire(lane int) int { return p.x[lane] - wireBefore }

func (p *painter) lifelines(height int) {
	for i, l := range p.d.lanes {
		class := [...]string{"caller", "target", "dep", "ledger"}[l.kind]
		name := shorten(oneLine(l.name), 14)
		w := 20 + 7*len([]rune(name))
		p.f(`<path class="life %s" d="M%d 32V%d"/><rect class="box %s" x="%d" y="8" width="%d" height="24" rx="6"/><text class="who" x="%d" y="24">%s</text>`,
			class, p.x[i], height-6, class, p.x[i]-w/2, w, p.x[i], esc(name))
	}
}

func (p *painter) row(i int, r row) {
	y := p.y(i)
	if r.witness {
		p.b.WriteString(`<g class="seen">`)
	} else {
		p.b.WriteString(`<g>`)
	}
	if r.kind != rowRule || p.first {
		p.anchors(r.seqs)
	}
	if r.detail != "" {
		p.f(`<title>%s</title>`, esc(r.detail))
	}
	time := "+" + span(max(r.at, 0))
	if r.witness {
		time = "▸ " + time
	}
	p.f(`<text class="at" x="%d" y="%d">%s</text>`, gutter-6, y, time)
	switch r.kind {
	case rowArrow:
		p.arrow(y, r)
	case rowMark:
		p.f(`<circle class="unk" cx="%d" cy="%d" r="7"/><text class="q" x="%d" y="%d">!</text>`, p.x[r.to], y-3, p.x[r.to], y+1)
		p.text("unkt", p.x[r.to]+13, y+1, r.label, "")
	case rowFault:
		p.f(`<path class="flag" d="M%d %dv14m0-14h9l-3 3.500 3 3.500h-9"/>`, p.wire(r.to), y-10)
		p.flagText(y, r)
	case rowEffect:
		if r.from > 0 {
			p.f(`<path class="via" d="M%d %dH%d"/>`, p.x[r.from]+4, y-4, p.x[r.to]-8)
		}
		p.f(`<path class="eff" d="M%d %dl7 7-7 7-7-7z"/>`, p.x[r.to], y-11)
		p.text("efft", p.x[r.to]+13, y, r.label, r.note)
	case rowRule:
		p.f(`<path class="ruler" d="M%d %dH%d"/>`, gutter, y+5, p.width)
		p.text("rule", gutter+4, y, r.label, "")
	}
	p.b.WriteString(`</g>`)
}

// flagText names a fault beside its flag: where there is room, which for the
// client link is on the right.
func (p *painter) flagText(y int, r row) {
	class, x := "flt end", p.wire(r.to)-7
	if r.to <= p.target {
		class, x = "flt soft", p.wire(r.to)+14
	}
	p.f(`<text class="%s" x="%d" y="%d">%s</text>`, class, x, y, esc(shorten(r.label, labelRunes+20)))
}

// anchors lets a witness link to its row.
func (p *painter) anchors(seqs []int64) {
	for _, seq := range seqs {
		if seq > 0 {
			p.f(`<g id="%s-e%d"/>`, p.scenario, seq)
		}
	}
}

// text writes a label and, in the fault's colour, a note.
func (p *painter) text(class string, x, y int, label, note string) {
	p.f(`<text class="%s" x="%d" y="%d">%s`, class, x, y, esc(shorten(label, labelRunes+20)))
	if note != "" {
		p.f(`<tspan class="flt" dx="6">%s</tspan>`, esc(shorten(note, labelRunes)))
	}
	p.b.WriteString(`</text>`)
}

// arrow draws a request or an answer, and where a fault acted on it its sign.
// The lane farther to the right names the link, and so the wire.
func (p *painter) arrow(y int, r row) {
	right := max(r.from, r.to)
	wire := p.wire(right)
	x1, x2 := p.x[r.from], p.x[r.to]
	switch r.reach {
	case endsOnWire:
		x2 = wire
	case fromWire:
		x1 = wire
	}
	dir := 1
	if x2 < x1 {
		dir = -1
	}
	class := "req"
	if r.answer {
		class = "ans"
	}
	if r.reach == endsOnWire {
		class += " cut"
	}
	y += 5
	p.f(`<path class="%s" d="M%d %dH%d"/>`, class, x1, y, x2)
	if r.reach != endsOnWire {
		p.f(`<path class="%s tip" d="M%d %dl%d-4v8z"/>`, class, x2, y, -8*dir)
	}
	if r.sign != "" || r.reach == endsOnWire {
		p.f(`<use href="#sign-%s" x="%d" y="%d"/>`, signSymbol(r.sign), wire, y)
	}
	label, note := r.label, r.note
	if label == "" {
		label, note = note, ""
	}
	at := p.x[p.target] + 10
	if right == p.target {
		at = p.x[p.target-1] + 10
	}
	p.text("lbl", at, y-7, label, note)
}

// signSymbol returns the symbol of the page that stands for an action.
func signSymbol(sign string) string {
	switch sign {
	case "reset", "close", "stall", "delay", "status", "truncate", "garbage", "duplicate":
		return sign
	case "latency":
		return "delay"
	}
	return "cut"
}

// describe tells the sequence in words, for those who cannot see it.
func (d diagram) describe() string {
	var b strings.Builder
	for _, r := range d.rows {
		fmt.Fprintf(&b, "+%s ", span(max(r.at, 0)))
		switch r.kind {
		case rowArrow:
			fmt.Fprintf(&b, "%s to %s", d.lanes[r.from].name, d.lanes[r.to].name)
			if r.reach == endsOnWire {
				b.WriteString(" (does not arrive)")
			} else if r.reach == fromWire {
				b.WriteString(" (from the link itself)")
			}
			b.WriteString(": ")
		case rowMark, rowFault, rowEffect:
			fmt.Fprintf(&b, "%s: ", d.lanes[r.to].name)
		}
		b.WriteString(strings.TrimSuffix(r.label+", "+r.note, ", "))
		b.WriteString(". ")
	}
	return oneLine(b.String())
}
