package observe

import "strings"

// outside writes the templates of what no answer of the API can show. They are
// in the order in which they pay off.
func (f Findings) outside(w *writer) {
	for line := range strings.SplitSeq(strings.Trim(outsideText, "\n"), "\n") {
		w.line("%s", line)
	}
}

// outsideText names what it takes to prove that each effect happened once, and
// which clauses need it.
const outsideText = `
# Where the truth is: every order, charge and reservation that was made. Most clauses need it.
# An entry says seq (a growing number), kind and id, and the cart (reference), correlation id
# or amount by which the suite knows whose it is. perSuccess is what one plain checkout leaves.
# Other ways: effects.sql {dsn, query} and effects.command; oncecheck doctor shows whether it reads.
#: effects:
#:   http:
#:     url: "LEDGER_URL?since={{since}}"
#:     jq: ".entries[] | {seq, kind, id, key, reference, correlationId, amount, currency, at}"
#:   perSuccess: {charge: 1, reservation: 1, order: 1}

# The systems that your service calls. Configure it to call the listen addresses; the suite
# forwards to upstream, cuts the connection at exact points, and counts. Delete those that you
# do not have, correct the routes, and name the body member (or header) that holds the cart or
# the correlation id. Retries, unknown outcomes and provider keys need them: SRS-CHK-001.44,
# SRS-CHK-002.*. For oncecheck serve, attach: CONTROL_URL/attach takes the place of listen
# and upstream.
#: dependencies:
#:   payment:
#:     listen: "127.0.0.1:9001"
#:     upstream: "PAYMENT_URL"
#:     operations:
#:       charge: {method: POST, path: /charges, effect: charge}
#:       query: {method: GET, path: /charges, query: true}
#:       void: {method: POST, path: "/charges/{id}/void", effect: void}
#:     attribute: ".reference"
#:     attributeHeader: X-Correlation-ID
#:   inventory:
#:     listen: "127.0.0.1:9002"
#:     upstream: "INVENTORY_URL"
#:     operations:
#:       reserve: {method: POST, path: /reservations, effect: reservation}
#:       release: {method: POST, path: "/reservations/{id}/release", effect: release}
#:     attribute: ".reference"
#:     attributeHeader: X-Correlation-ID
#:   orders:
#:     listen: "127.0.0.1:9003"
#:     upstream: "ORDERS_URL"
#:     operations:
#:       create: {method: POST, path: /orders, effect: order}
#:     attribute: ".reference"
#:     attributeHeader: X-Correlation-ID

# How the processes can be killed and started again. What has to survive a crash needs it:
# SRS-CHK-002.24 with a restart. Without a supervisor: control: {commands: {restart: [...]}}.
#: control: {http: "CONTROL_URL"}

# Your numbers, where they are not those of the requirements.
#: policy:
#:   checkout: {deadline: 30s, attempts: 3, retention: 24h}
#:   client: {connect: 2s, read: 5s, total: 10s, retries: 2}
`
