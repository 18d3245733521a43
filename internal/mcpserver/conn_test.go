package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"cortex/internal/op"
)

func TestBadMessagesEndNothing(t *testing.T) {
	t.Parallel()
	c := serve(t, op.Agent)
	huge := strings.Repeat("x", maxLine)
	for _, tt := range []struct {
		line string
		code int
		id   any
	}{
		{`{"jsonrpc":"2.0","id":1,`, -32700, nil},
		{"\xff\xfe", -32700, nil},
		{`[]`, -32600, nil},
		{`"text"`, -32600, nil},
		{`{"jsonrpc":"1.0","id":1,"method":"ping"}`, -32600, 1.0},
		{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, -32600, nil},
		{`{"jsonrpc":"2.0","id":true,"method":"ping"}`, -32600, nil},
		{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, -32600, nil},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600, nil},
		{`{"jsonrpc":"2.0","id":9,"method":"ping","params":{"x":"` + huge + `"}}`, -32600, 9.0},
		{`{"params":{"x":"` + huge + `"},"id":9}`, -32600, nil},
	} {
		c.send(tt.line)
		got := c.next()
		if got.Error == nil || got.Error.Code != tt.code || got.ID != tt.id {
			t.Errorf("%.60q answered %+v, want error %d with id %v", tt.line, got, tt.code, tt.id)
		}
	}
	c.send("\n  \r")
	c.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	if got := c.next(); got.ID != 2.0 || got.Error != nil {
		t.Errorf("ping afterwards answered %+v", got)
	}
}

func TestLargeArguments(t *testing.T) {
	t.Parallel()
	c := serve(t, op.Agent)
	got := c.call("toy_ring", fmt.Sprintf(`{"how":%q}`, strings.Repeat("x", 1<<20)))
	if got.IsError || got.StructuredContent["summary"] != "rang 1048576 bytes <low>" {
		t.Errorf("one mebibyte of argument = %+v, want it rung", got)
	}
	got = c.call("toy_ring", fmt.Sprintf(`{"how":%q}`, strings.Repeat("x", 3<<20)))
	if !got.IsError || got.StructuredContent["code"] != "too_large" {
		t.Errorf("three mebibytes of argument = %+v, want too_large", got)
	}
	if got = c.call("toy_ring", `{"how":"on"}`); got.IsError {
		t.Errorf("call afterwards = %+v", got)
	}
}

func TestSlowCallDoesNotBlockOthers(t *testing.T) {
	t.Parallel()
	c := serve(t, op.Agent)
	c.start(1, "toy_ring", `{"how":"wait"}`)
	<-c.bell.started
	for id := 2; id < 12; id++ {
		c.start(id, "toy_ring", `{"how":"quick"}`)
		if got := c.next(); got.ID != float64(id) {
			t.Fatalf("answer %v came first, want %d while call 1 runs", got.ID, id)
		}
	}
}

func TestCancelEndsOneCall(t *testing.T) {
	t.Parallel()
	c := serve(t, op.Agent)
	c.start(1, "toy_ring", `{"how":"wait"}`)
	c.start(2, "toy_ring", `{"how":"wait"}`)
	<-c.bell.started
	<-c.bell.started
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	got := c.next()
	if r := c.result(got); got.ID != 2.0 || r.StructuredContent["code"] != "canceled" {
		t.Errorf("canceled call answered %v %+v, want call 2 canceled", got.ID, r)
	}
	if n := len(c.bell.canceled); n != 1 {
		t.Errorf("%d calls were canceled, want 1", n)
	}
}

func TestCallsHaveTheDeadlineOfTheirVerb(t *testing.T) {
	t.Parallel()
	got := serve(t, op.Agent).call("toy_ring", `{"how":"deadline"}`)
	if want := fmt.Sprint(true, " ", op.ChangeDeadline); got.StructuredContent["summary"] != want {
		t.Errorf("the call ran with the deadline %v, want %s", got.StructuredContent["summary"], want)
	}
}

func TestProgressIsReported(t *testing.T) {
	t.Parallel()
	c := serve(t, op.Agent)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"toy_ring","arguments":{"how":"long"},"_meta":{"progressToken":"tok"}}}`)
	for beat := 1.0; beat <= 2; beat++ {
		got := c.next()
		var report struct {
			ProgressToken, Message string
			Progress               float64
		}
		if err := json.Unmarshal(got.Params, &report); err != nil || got.Method != "notifications/progress" || report.ProgressToken != "tok" ||
			report.Progress != beat || report.Message != fmt.Sprintf("running check unit, ***: %.0f s", beat) {
			t.Errorf("message %.0f = %+v (%s), want progress %.0f with what is being done", beat, got, got.Params, beat)
		}
	}
	if got := c.next(); got.ID != 1.0 {
		t.Errorf("last message = %+v, want the answer", got)
	}
}

func TestEndOfInputEndsTheServerWithinASecond(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		how      string
		answered bool
	}{
		{"", true}, // no call at all
		{"shortly", true},
		{"wait", true}, // canceled, and the refusal is still written
		{"deaf", false},
	} {
		t.Run("call="+tt.how, func(t *testing.T) {
			t.Parallel()
			c := serve(t, op.Agent)
			if tt.how != "" {
				c.start(1, "toy_ring", fmt.Sprintf(`{"how":%q}`, tt.how))
				<-c.bell.started
			}
			began := time.Now()
			_ = c.in.Close()
			select {
			case err := <-c.done:
				if took := time.Since(began); err != nil || took > time.Second {
					t.Errorf("Serve returned %v after %v, want nil within a second", err, took)
				}
			case <-time.After(3 * time.Second):
				t.Fatal("Serve did not return")
			}
			answers := 0
			for a := range c.answers {
				if a.ID == 1.0 {
					answers++
				}
			}
			if want := tt.how != "" && tt.answered; (answers == 1) != want {
				t.Errorf("%d answers to the call in flight, want one: %t", answers, want)
			}
		})
	}
}

func TestStoppingTheServerCancelsItsCalls(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	c := serveWithin(ctx, t, op.Agent)
	c.start(1, "toy_ring", `{"how":"wait"}`)
	<-c.bell.started
	stop()
	select {
	case <-c.done:
	case <-time.After(3 * time.Second):
		t.Fatal("Serve did not return")
	}
	if n := len(c.bell.canceled); n != 1 {
		t.Errorf("%d calls were canceled, want 1", n)
	}
}
