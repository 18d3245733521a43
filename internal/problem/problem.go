package problem

import (
	"errors"
	"fmt"
)

// Step is one way on: an operation with the arguments that are known already. Fronts render it (the CLI as a command
// line, MCP as an action); Op is the verb's name as declared, such as "lease renew".
type Step struct {
	Op         string              // declared verb; "" when only Command can help
	Args       map[string]any      // arguments known already, by their wire name
	Inputs     []string            // wire names of the arguments that the caller must supply or correct
	Why        string              // one clause, no capital, no full stop
	BlockedBy  []string            // conditions outside the caller's hands
	Candidates map[string][]string // per input, values that would be accepted
	Command    string              // a command line outside the registry, such as an install command
}

// Problem is a refusal or failure told to the person or agent who must act.
type Problem struct {
	Code     Code
	Message  string // a full sentence: what is wrong, with which thing, what to do
	TaskID   string // the case it is about, when there is one
	Phase    string // that case's phase, when known
	Field    string // the argument at fault, by its wire name
	Received any    // what was given for Field
	Expected string // what would have been accepted
	Next     []Step // steps that would succeed
	NoStep   string // why no step can help; set when Next is empty
	Cause    error  // the error below it; never shown to the reader, kept for errors.Is
}

// New returns a Problem whose message is formatted like fmt.Sprintf.
func New(code Code, format string, args ...any) *Problem {
	return &Problem{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Error returns the message.
func (p *Problem) Error() string { return p.Message }

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.Cause }

// With appends steps and returns p.
func (p *Problem) With(steps ...Step) *Problem {
	p.Next = append(p.Next, steps...)
	return p
}

// Without records why no step can help and returns p.
func (p *Problem) Without(reason string) *Problem {
	p.NoStep = reason
	return p
}

// About sets the case that p concerns and returns p.
func (p *Problem) About(taskID, phase string) *Problem {
	p.TaskID, p.Phase = taskID, phase
	return p
}

// On sets the argument at fault and returns p.
func (p *Problem) On(field string, received any, expected string) *Problem {
	p.Field, p.Received, p.Expected = field, received, expected
	return p
}

// Because sets the cause and returns p.
func (p *Problem) Because(err error) *Problem {
	p.Cause = err
	return p
}

// From returns the Problem inside err, or wraps err as Internal. From(nil) is nil.
func From(err error) *Problem {
	if err == nil {
		return nil
	}
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	return New(Internal, "Cortex failed: %v.", err).Because(err).
		Without("this is a fault in Cortex or its environment; the message names the part that failed")
}

// Is reports whether err carries a Problem of the given code.
func Is(err error, code Code) bool {
	var p *Problem
	return errors.As(err, &p) && p.Code == code
}
