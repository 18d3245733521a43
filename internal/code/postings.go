package code

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// A segment holds the postings of documents that were added together. It is never changed. Its rows in post are blocks:
//
//	block  (uvarint term - previous term, uvarint bytes, list)*     the first term is the row's key and is written as 0
//	list   (uvarint id - previous id, packed weight)*               the first id is relative to the segment's base
const (
	blockBytes      = 4 << 10
	maxSegmentPosts = 1_500_000 // three for the Go standard library; bounds the memory of writing one to about 40 MB
	deltaDocuments  = 64        // up to so many new documents are kept as forward rows
	maxDelta        = 512       // forward rows that a question has to read; more become a segment
	maxSegments     = 16        // lists that a question has to read beside those of full segments; more are made anew
	maxSpan         = 1 << 24   // of ids in a segment: a posting is packed into 64 bits
)

// document is a file as the index holds it. Its row in doc never changes but for fwd, which holds the weights until they
// are in a segment: the terms, four bytes each in ascending order, then a packed weight for each.
type document struct {
	id      int64
	path    string
	blob    string
	skip    string // why the file has no terms
	weights []weight
}

func encodeForward(weights []weight) []byte {
	out := make([]byte, 0, 5*len(weights))
	for _, w := range weights {
		out = binary.BigEndian.AppendUint32(out, uint32(w.term))
	}
	for _, w := range weights {
		out = append(out, w.q)
	}
	return out
}

func decodeForward(data []byte) []weight {
	n := len(data) / 5
	out := make([]weight, n)
	for i := range out {
		out[i] = weight{termHash(binary.BigEndian.Uint32(data[4*i:])), data[4*n+i]}
	}
	return out
}

// forwardWeight finds one term in a forward row.
func forwardWeight(data []byte, term termHash) (byte, bool) {
	n := len(data) / 5
	lo, hi := 0, n
	for lo < hi {
		mid := (lo + hi) / 2
		if termHash(binary.BigEndian.Uint32(data[4*mid:])) < term {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == n || termHash(binary.BigEndian.Uint32(data[4*lo:])) != term {
		return 0, false
	}
	return data[4*n+lo], true
}

// writeSegment stores the weights of documents, which are in the order of their ids.
func writeSegment(ctx context.Context, tx *sql.Tx, docs []document) error {
	if len(docs) == 0 {
		return nil
	}
	base := docs[0].id
	total := 0
	for _, d := range docs {
		total += len(d.weights)
	}
	posts := make([]uint64, 0, total)
	for _, d := range docs {
		local := uint64(d.id - base)
		if local >= maxSpan {
			return fmt.Errorf("segment of ids %d to %d is too wide", base, d.id)
		}
		for _, w := range d.weights {
			posts = append(posts, uint64(w.term)<<32|local<<8|uint64(w.q))
		}
	}
	slices.Sort(posts)
	row, err := tx.ExecContext(ctx, "INSERT INTO segment (base, posts) VALUES (?, ?)", base, total)
	if err != nil {
		return err
	}
	segment, err := row.LastInsertId()
	if err != nil {
		return err
	}
	insert, err := tx.PrepareContext(ctx, "INSERT INTO post (segment, first, data) VALUES (?, ?, ?)")
	if err != nil {
		return err
	}
	defer func() { _ = insert.Close() }() // the transaction closes it as well
	return eachBlock(posts, func(first termHash, data []byte) error {
		_, err := insert.ExecContext(ctx, segment, int64(first), data)
		return err
	})
}

// eachBlock encodes sorted postings. The data is reused.
func eachBlock(posts []uint64, write func(first termHash, data []byte) error) error {
	var block, list []byte
	var first, last termHash
	for i := 0; i < len(posts); {
		term := termHash(posts[i] >> 32)
		list = list[:0]
		before := uint64(0)
		for ; i < len(posts) && termHash(posts[i]>>32) == term; i++ {
			local := posts[i] >> 8 & (maxSpan - 1)
			list = append(binary.AppendUvarint(list, local-before), byte(posts[i]))
			before = local
		}
		if len(block) > 0 && len(block)+len(list) > blockBytes {
			if err := write(first, block); err != nil {
				return err
			}
			block = block[:0]
		}
		if len(block) == 0 {
			first, last = term, term
		}
		block = binary.AppendUvarint(block, uint64(term-last))
		block = binary.AppendUvarint(block, uint64(len(list)))
		block = append(block, list...)
		last = term
	}
	if len(block) == 0 {
		return nil
	}
	return write(first, block)
}

var errBlock = errors.New("a block of the index cannot be read")

// findList returns the list of a term in a block that begins with first, nil when it is not there.
func findList(block []byte, first, term termHash) ([]byte, error) {
	at := first
	for len(block) > 0 {
		step, n := binary.Uvarint(block)
		size, m := binary.Uvarint(block[max(n, 0):])
		if n <= 0 || m <= 0 || size > uint64(len(block)-n-m) {
			return nil, errBlock
		}
		at += termHash(step)
		list := block[n+m:]
		if at == term {
			return list[:size], nil
		}
		if at > term {
			break
		}
		block = list[size:]
	}
	return nil, nil
}

// eachPosting calls visit for every posting of a list.
func eachPosting(list []byte, base int64, visit func(id int64, q byte)) error {
	id := base
	for len(list) > 0 {
		step, n := binary.Uvarint(list)
		if n <= 0 || n == len(list) || step > maxSpan {
			return errBlock
		}
		id += int64(step)
		visit(id, list[n])
		list = list[n+1:]
	}
	return nil
}

// readForward lists the documents whose weights are in forward rows, in the order of their ids.
func readForward(ctx context.Context, tx *sql.Tx) ([]document, error) {
	rows, err := tx.QueryContext(ctx, "SELECT id, fwd FROM doc WHERE fwd IS NOT NULL ORDER BY id")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // Err says what went wrong
	var docs []document
	for rows.Next() {
		var d document
		var data []byte
		if err := rows.Scan(&d.id, &data); err != nil {
			return nil, err
		}
		d.weights = decodeForward(data)
		docs = append(docs, d)
	}
	return docs, rows.Err()
}

// foldForward moves forward rows into a segment when there are too many of them.
func foldForward(ctx context.Context, tx *sql.Tx) error {
	var count int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM doc WHERE fwd IS NOT NULL").Scan(&count); err != nil || count <= maxDelta {
		return err
	}
	docs, err := readForward(ctx, tx)
	if err != nil {
		return err
	}
	if err := writeSegment(ctx, tx, docs); err != nil {
		return err
	}
	return execAll(ctx, tx, "UPDATE doc SET fwd = NULL WHERE fwd IS NOT NULL")
}
