package store

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
)

// prepared carries scripts out in SQLite. That is in our own process, so waiting
// for one statement before the next costs nothing, but parsing one takes as long
// as carrying it out: it is done once. There are few different ones.
type prepared struct {
	db *sql.DB

	mu    sync.Mutex
	ready map[string]*sql.Stmt
}

func (p *prepared) inTurn(ctx context.Context, s records, script []statement) error {
	ready := make([]*sql.Stmt, len(script))
	for i, st := range script { // before the transaction has the one connection
		var err error
		if ready[i], err = p.prepare(ctx, st.text); err != nil { //nolint:sqlclosecheck // kept for the next
			return err
		}
	}
	return s.inTx(ctx, func(tx *sql.Tx) error {
		for i, st := range script {
			n, err := changed(tx.StmtContext(ctx, ready[i]).ExecContext(ctx, st.values...)) //nolint:sqlclosecheck // ends with the transaction
			if err := told(i, n, err); err != nil {
				return err
			}
		}
		return nil
	})
}

func (p *prepared) prepare(ctx context.Context, text string) (*sql.Stmt, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if st := p.ready[text]; st != nil {
		return st, nil
	}
	st, err := p.db.PrepareContext(ctx, text) //nolint:sqlclosecheck // ends with the database
	if err != nil {
		return nil, fmt.Errorf("prepare a statement: %w", err)
	}
	p.ready[text] = st
	return st, nil
}
