package code

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"math"
	"path"
	"slices"
)

// scoring is one question asked of one snapshot of the index.
type scoring struct {
	tx       *sql.Tx
	live     liveView
	mask     bitmap // documents that may be hits; nil is all
	segments []segmentRow
	forward  []forwardRow

	scores   []float64 // by document
	covered  []float64 // sum of the rarities of the question's stems that a document has
	all      float64   // sum of the rarities of all stems
	rarities []float64 // by term of the question, of its stems
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
	factor   float64 // of what its path is for; in the score
	score    float64
	coverage float64 // share of the question's rarity that the document holds

	body  []byte // when the file has been read
	lines [][]float64
}

func newScoring(ctx context.Context, tx *sql.Tx, live liveView, module string) (*scoring, error) {
	s := &scoring{tx: tx, live: live}
	s.begin()
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

// begin forgets the scores of an earlier question.
func (s *scoring) begin() {
	s.scores, s.covered = make([]float64, 8*len(s.live.docs)), make([]float64, 8*len(s.live.docs))
	s.all, s.rarities = 0, nil
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

// Shares of a word's weight, measured on questions about fourteen repositories.
const (
	rarityPower = 0.6
	exactShare  = 1.0
	stemShare   = 0.4
)

// rarity is the weight of a term that so many of the worktree's documents have, whatever part of it is searched. It grows
// less than in proportion: most words of a question that are rare in code are so because they say little about it.
func (s *scoring) rarity(documents int) float64 {
	n := float64(documents)
	return math.Pow(math.Log(1+(float64(s.live.count)-n+0.5)/(n+0.5)), rarityPower)
}

// addTerms scores the documents that have the words of a question.
func (s *scoring) addTerms(ctx context.Context, terms []queryTerm) error {
	s.rarities = make([]float64, len(terms))
	for i, t := range terms {
		list, err := s.postings(ctx, t.exact)
		if err != nil {
			return err
		}
		s.add(list, exactShare*s.rarity(len(list)))
		if len(t.stems) == 0 {
			continue
		}
		if list, err = s.ofStems(ctx, t.stems); err != nil {
			return err
		}
		s.rarities[i] = s.rarity(len(list))
		s.add(list, stemShare*s.rarities[i])
		s.all += s.rarities[i]
		for _, p := range list {
			s.covered[p.id] += s.rarities[i]
		}
	}
	return nil
}

func (s *scoring) add(list []posting, share float64) {
	for _, p := range list {
		if s.mask == nil || s.mask.has(p.id) {
			s.scores[p.id] += share * unquantize(p.q)
		}
	}
}

// ofStems lists the documents that have one of the stems, each with its greatest weight.
func (s *scoring) ofStems(ctx context.Context, stems []string) ([]posting, error) {
	list, err := s.postings(ctx, stemHash([]byte(stems[0])))
	if err != nil || len(stems) == 1 {
		return list, err
	}
	best := map[int64]byte{}
	for i := range stems {
		if i > 0 {
			if list, err = s.postings(ctx, stemHash([]byte(stems[i]))); err != nil {
				return nil, err
			}
		}
		for _, p := range list {
			best[p.id] = max(best[p.id], p.q)
		}
	}
	list = list[:0]
	for id, q := range best {
		list = append(list, posting{id, q})
	}
	return list, nil
}

// maxWalk bounds the walk where thousands of files are equally good.
const maxWalk = 10_000

// rank scores every document, and returns the best after their paths are weighed. Demotion only lowers a score, so the
// walk ends where no later document can come in.
func (s *scoring) rank(ctx context.Context, q question, limit int) ([]candidate, error) {
	if err := s.addTerms(ctx, q.terms); err != nil {
		return nil, err
	}
	ids := s.scored()
	find, err := s.tx.PrepareContext(ctx, "SELECT path FROM doc WHERE id = ?")
	if err != nil {
		return nil, err
	}
	defer func() { _ = find.Close() }() // the transaction closes it as well
	var best []candidate
	vouched := vouching{}
	for i, id := range ids {
		c := candidate{id: id, score: s.scores[id]}
		if len(best) >= limit && (best[limit-1].score > c.score || i >= maxWalk) {
			break
		}
		if err := find.QueryRowContext(ctx, c.id).Scan(&c.path); errors.Is(err, sql.ErrNoRows) {
			return nil, errBlock
		} else if err != nil {
			return nil, err
		}
		if s.all > 0 {
			c.coverage = s.covered[c.id] / s.all
		}
		c.factor = pathFactor(c.path, q.audience)
		c.score *= c.factor
		vouched.note(c)
		at, _ := slices.BinarySearchFunc(best, c, byCandidate)
		best = slices.Insert(best, at, c)
		best = best[:min(len(best), limit)]
	}
	if !q.audience.tests {
		vouched.apply(best)
	}
	return best, nil
}

// scored lists the documents that have any word of the question, best first.
func (s *scoring) scored() []int64 {
	var ids []int64
	for id, score := range s.scores {
		if score > 0 {
			ids = append(ids, int64(id))
		}
	}
	slices.SortFunc(ids, func(a, b int64) int { return cmp.Or(cmp.Compare(s.scores[b], s.scores[a]), cmp.Compare(a, b)) })
	return ids
}

func byCandidate(a, b candidate) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.path, b.path))
}

// Shares of a score that are left to files beside the repository's own code.
const (
	junkShare       = 0.3 // a copy of somebody else's code
	packageDocShare = 0.5 // source that only documents a package
)

func pathFactor(name string, who Audience) float64 {
	factor := who.Factor(ClassOf(name))
	if IsJunk(name) {
		factor *= junkShare
	}
	if base := path.Base(name); !who.prose && (base == "doc.go" || base == "package-info.java") {
		factor *= packageDocShare
	}
	return factor
}
