package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLine bounds one message in bytes. Arguments have a tighter limit of their own that is refused with a sentence; this
// one only keeps a runaway writer from taking all memory.
const maxLine = 16 << 20

var errInputEnded = errors.New("the client closed its end")

// conn frames JSON-RPC messages by lines. Unlike the SDK's own transport it survives a line that is no message, and it
// holds the end of input back until the calls in flight are answered or had their time.
type conn struct {
	lines  chan []byte // closed at the end of input
	ended  chan struct{}
	closed chan struct{}
	once   sync.Once
	cancel context.CancelCauseFunc // cancels the calls in flight
	mask   func(string) string     // masks secrets in error messages; nil for none

	write sync.Mutex
	out   io.Writer

	mu       sync.Mutex
	inFlight int
	idle     chan struct{} // closed while inFlight is 0 after the input ended
	eof      bool
}

type transport struct{ conn *conn }

// Connect hands out the one connection.
func (t transport) Connect(context.Context) (mcp.Connection, error) { return t.conn, nil }

func newConn(in io.Reader, out io.Writer, cancel context.CancelCauseFunc) *conn {
	c := &conn{
		lines: make(chan []byte), ended: make(chan struct{}), closed: make(chan struct{}), idle: make(chan struct{}),
		cancel: cancel, out: out,
	}
	go c.readLines(bufio.NewReaderSize(in, 64<<10))
	return c
}

// SessionID is empty: stdio has one session.
func (c *conn) SessionID() string { return "" }

// Close unblocks Read.
func (c *conn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// readLines cuts the input into lines, drops those over maxLine with an error to the client, and ends with the input.
func (c *conn) readLines(r *bufio.Reader) {
	defer close(c.lines)
	for {
		line, tooLong, err := readLine(r)
		if tooLong {
			c.reject(idOf(line), jsonrpc.CodeInvalidRequest, fmt.Sprintf("the message is over the limit of %d bytes", maxLine))
			line = nil
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			select {
			case c.lines <- line:
			case <-c.closed:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// readLine reads to the next newline. Of a line over maxLine it returns the beginning.
func readLine(r *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			tooLong = true
			line = line[:min(len(line), 4<<10)]
		} else if !tooLong {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, tooLong, err
		}
	}
}

// Read returns the next request or response. It answers lines that are neither itself.
func (c *conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		case line, more := <-c.lines:
			if !more {
				return nil, c.drain()
			}
			msg := c.decode(line)
			if msg == nil {
				continue
			}
			if req, ok := msg.(*jsonrpc.Request); ok && req.IsCall() {
				c.count(1)
			}
			return msg, nil
		}
	}
}

// decode returns nil for a line that has been answered with an error.
func (c *conn) decode(line []byte) jsonrpc.Message {
	if !json.Valid(line) {
		c.reject(nil, jsonrpc.CodeParseError, "the message is not valid JSON")
		return nil
	}
	var head struct {
		ID json.RawMessage `json:"id"`
	}
	if line[0] != '{' || json.Unmarshal(line, &head) != nil {
		c.reject(nil, jsonrpc.CodeInvalidRequest, "a message is one JSON object")
		return nil
	}
	if head.ID != nil && !usableID(head.ID) {
		c.reject(nil, jsonrpc.CodeInvalidRequest, "an id is a string or an integer")
		return nil
	}
	msg, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		c.reject(head.ID, jsonrpc.CodeInvalidRequest, "this is no JSON-RPC 2.0 message: "+err.Error())
		return nil
	}
	return msg
}

// usableID reports whether an id is a string or an integer.
func usableID(id json.RawMessage) bool {
	_, err := strconv.ParseInt(string(id), 10, 64)
	return err == nil || id[0] == '"'
}

// idOf finds the id at the beginning of a request that could not be read whole: before its first nested value.
func idOf(line []byte) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	for {
		name, err := dec.Token()
		if err != nil {
			return nil
		}
		value, err := dec.Token()
		if _, nested := value.(json.Delim); err != nil || nested {
			return nil
		}
		if name != "id" {
			continue
		}
		id, err := json.Marshal(value)
		if err != nil || !usableID(id) {
			return nil
		}
		return id
	}
}

// reject answers a message that never becomes a request. A nil id is sent as null.
func (c *conn) reject(id json.RawMessage, code int64, message string) {
	raw, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   jsonrpc.Error   `json:"error"`
	}{"2.0", id, jsonrpc.Error{Code: code, Message: message}})
	if err != nil {
		return // unreachable: id was valid JSON
	}
	_ = c.writeLine(raw) // a broken output shows at the next answer
}

// Write sends one message.
func (c *conn) Write(_ context.Context, msg jsonrpc.Message) error {
	if resp, ok := msg.(*jsonrpc.Response); ok && resp.ID.IsValid() {
		defer c.count(-1)
		c.maskError(resp)
	}
	raw, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	return c.writeLine(raw)
}

func (c *conn) maskError(resp *jsonrpc.Response) {
	wire, ok := errors.AsType[*jsonrpc.Error](resp.Error)
	if !ok || c.mask == nil {
		return
	}
	masked := *wire
	masked.Message = c.mask(wire.Message)
	resp.Error = &masked
}

func (c *conn) writeLine(raw []byte) error {
	c.write.Lock()
	defer c.write.Unlock()
	_, err := c.out.Write(append(raw, '\n'))
	return err
}

// count keeps the number of calls that were read and not answered yet.
func (c *conn) count(change int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inFlight += change
	c.signalIdle()
}

func (c *conn) signalIdle() {
	if !c.eof || c.inFlight > 0 {
		return
	}
	select {
	case <-c.idle:
	default:
		close(c.idle)
	}
}

// drain waits for the calls in flight: a while undisturbed, then canceled. It returns the end of input.
func (c *conn) drain() error {
	c.mu.Lock()
	c.eof = true
	c.signalIdle()
	c.mu.Unlock()
	defer close(c.ended)
	select {
	case <-c.idle:
		return io.EOF
	case <-c.closed:
		return io.EOF
	case <-time.After(finishGrace):
	}
	c.cancel(errInputEnded)
	select {
	case <-c.idle:
	case <-c.closed:
	case <-time.After(cancelGrace):
	}
	return io.EOF
}

// awaitEnd returns when the input has ended and was drained, or ctx is done for another reason.
func (c *conn) awaitEnd(ctx context.Context) {
	select {
	case <-c.ended:
		return
	case <-ctx.Done():
	}
	select { // canceled: by drain, which ends by itself, or from outside
	case <-c.ended:
	case <-c.idle:
	case <-time.After(cancelGrace):
	}
}
