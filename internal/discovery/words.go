package discovery

import (
	"strings"
	"sync"

	"cortex/internal/code"
)

// isStopWord reports whether a word in lower case says nothing about where to look. A literal search knows no weights, so
// it leaves out more English words than the index does.
func isStopWord(word string) bool { return code.IsStopWord(word) || askingWords()[word] }

var askingWords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for _, word := range strings.Fields(asking) {
		words[word] = true
	}
	return words
})

const asking = `
a about above after again against all also although always am an and another any anyone anything anywhere are around as
at away back be became because become been before behind being below between both but by came can cannot case cases code
could defined did different do does doing done down during each either else etc even ever every everything exactly few
find first for from gave get gets give given go goes going gone got had handle handled handles happen happened happening
happens has have having he hence her here hers him his how however i i.e if implemented implement implementation in
inside instead into is it its itself just keep kind know known last later least less let like located long look looks
made main make makes making many may maybe me might more most much must my near need needed needs neither never new next
no none nor not nothing now of off often on once one only onto or other others otherwise our out outside over own part
place please point put rather really right said same say says see seem seen several shall she should show since so some
someone something sometimes somewhere still such take taken than that the their them then there therefore these they
thing things this those though through thus to together too toward try two under until up upon us use used uses using
usually various very via want wants was way ways we well went were what whatever when whenever where wherever whether
which while who whoever whole whom whose why will with within without work working works would yes yet you your e.g e g`
