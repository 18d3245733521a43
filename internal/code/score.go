package code

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"math"
	"slices"
)

// scoring is one question asked of one snapshot of the index.
type scoring struct {
	tx       *sql.Tx
	live     liveView
	mask     bitmap // documents that may be hits; nil is all
	segments []segmentRow
	forward  []forwardRow
	table    *[256]float32

	scores  []float64 // by document
	covered []float64 // sum of the rarities of the question's stems that a document has
	all     float64   // sum of the rarities of all stems
	rarity  map[termHash]float64
}

type segmentRow struct{ id, base int64 }

type forwardRow struct {
	id   int64
	data []byte
}

// candidate is a document with its score before its path is looked at.
type candidate struct {
	id       int64
	path     string
	score    float64
	coverage float64 // share of the question's rarity that the document holds
}

func newScoring(ctx context.Context, tx *sql.Tx, live liveView, module string) (*scoring, error) {
	s := &scoring{tx: tx, live: live, table: unquantize(), rarity: map[termHash]float64{}}
	s.scores, s.covered = make([]float64, 8*len(live.docs)), make([]float64, 8*len(live.docs))
	if err := s.readSegments(ctx); err != nil {
		return nil, err
	}
	if err := s.readForward(ctx); err != nil {
		return nil, err
	}
	if module == "" {
		return s, nil
	}
	return s, s.maskBy(ctx, module)
}

func (s *scoring) readSegments(ctx context.Context) error {
	rows, err := s.tx.QueryContext(ctx, "SELECT id, base FROM segment ORDER BY id")
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // Err says what went wrong
	for rows.Next() {
		var g segmentRow
		if err := rows.Scan(&g.id, &g.base); err != nil {
			return err
		}
		s.segments = append(s.segments, g)
	}
	return rows.Err()
}

func (s *scoring) readForward(ctx context.Context) error {
	rows, err := s.tx.QueryContext(ctx, "SELECT id, fwd FROM doc WHERE fwd IS NOT NULL ORDER BY id")
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // Err says what went wrong
	for rows.Next() {
		var f forwardRow
		if err := rows.Scan(&f.id, &f.data); err != nil {
			return err
		}
		if s.live.docs.has(f.id) {
			s.forward = append(s.forward, f)
		}
	}
	return rows.Err()
}

// maskBy keeps the documents of one directory, or the one file of that name.
func (s *scoring) maskBy(ctx context.Context, module string) error {
	rows, err := s.tx.QueryContext(ctx, "SELECT id FROM doc WHERE path = ? OR path >= ? AND path < ?", module, module+"/", module+"0")
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // Err says what went wrong
	s.mask = bitmap{}
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return err
		}
		if s.live.docs.has(id) {
			s.mask.add(id)
		}
	}
	return rows.Err()
}

// posting is one live document that has a term.
type posting struct {
	id int64
	q  byte
}

// postings lists the worktree's documents that have a term.
func (s *scoring) postings(ctx context.Context, term termHash) ([]posting, error) {
	var out []posting
	for _, g := range s.segments {
		var first int64
		var data []byte
		err := s.tx.QueryRowContext(ctx, "SELECT first, data FROM post WHERE segment = ? AND first <= ? ORDER BY first DESC LIMIT 1",
			g.id, int64(term)).Scan(&first, &data)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		var list []byte
		if err == nil {
			list, err = findList(data, termHash(first), term)
		}
		if err == nil {
			err = eachPosting(list, g.base, func(id int64, q byte) {
				if s.live.docs.has(id) {
					out = append(out, posting{id, q})
				}
			})
		}
		if err != nil {
			return nil, err
		}
	}
	for _, f := range s.forward {
		if q, ok := forwardWeight(f.data, term); ok {
			out = append(out, posting{f.id, q})
		}
	}
	return out, nil
}

// add scores the documents that have a term. A document's frequencies are those of the whole worktree, whatever part of
// it is searched.
func (s *scoring) add(ctx context.Context, term termHash, share float64, covers bool) error {
	list, err := s.postings(ctx, term)
	if err != nil {
		return err
	}
	rarity := math.Log(1 + (float64(s.live.count)-float64(len(list))+0.5)/(float64(len(list))+0.5))
	s.rarity[term] = rarity
	if covers {
		s.all += rarity
	}
	for _, p := range list {
		if s.mask != nil && !s.mask.has(p.id) {
			continue
		}
		tf := float64(s.table[p.q])
		s.scores[p.id] += share * rarity * tf * (saturation + 1) / (tf + saturation)
		if covers {
			s.covered[p.id] += rarity
		}
	}
	return nil
}

// maxWalk bounds the walk where thousands of files are equally good.
const maxWalk = 10_000

// rank scores every document, and returns the best after their paths are weighed. Demotion only lowers a score, so the
// walk ends where no later document can come in.
func (s *scoring) rank(ctx context.Context, q question, limit int) ([]candidate, error) {
	stems := map[termHash]bool{}
	for _, t := range q.terms {
		if err := s.add(ctx, t.exact, exactShare, false); err != nil {
			return nil, err
		}
		if !stems[t.stem] {
			stems[t.stem] = true
			if err := s.add(ctx, t.stem, stemShare, true); err != nil {
				return nil, err
			}
		}
	}
	var raw []candidate
	for id, score := range s.scores {
		if score > 0 {
			raw = append(raw, candidate{id: int64(id), score: score})
		}
	}
	slices.SortFunc(raw, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id)) })
	find, err := s.tx.PrepareContext(ctx, "SELECT path FROM doc WHERE id = ?")
	if err != nil {
		return nil, err
	}
	defer func() { _ = find.Close() }() // the transaction closes it as well
	var best []candidate
	for i, c := range raw {
		if len(best) >= limit && (best[limit-1].score > c.score || i >= maxWalk) {
			break
		}
		if err := find.QueryRowContext(ctx, c.id).Scan(&c.path); err != nil {
			return nil, err
		}
		if s.all > 0 {
			c.coverage = s.covered[c.id] / s.all
		}
		c.score *= pathFactor(c.path, q.audience)
		at, _ := slices.BinarySearchFunc(best, c, byCandidate)
		best = slices.Insert(best, at, c)
		best = best[:min(len(best), limit)]
	}
	return best, nil
}

func byCandidate(a, b candidate) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.path, b.path))
}

// junkShare is what a copy of somebody else's code counts beside the repository's own.
const junkShare = 0.3

func pathFactor(path string, who Audience) float64 {
	factor := who.Factor(ClassOf(path))
	if IsJunk(path) {
		factor *= junkShare
	}
	return factor
}
