package code

import (
	"strings"
	"sync"
)

// shortForms are the abbreviations that code is written with and questions are not, with what they stand for.
const shortForms = `
addr address, alloc allocate allocation, arg argument param parameter, arr array, async asynchronous, attr attribute,
auth authentication authenticate authorize authorization, avg average, bool boolean, buf buffer, cb callback,
cert certificate, char character, cmd command, cfg conf config configuration configure, conn connection connect,
ctx context, cur current, db database, decl declaration declare, def definition define, del delete, dep dependency,
desc description describe, dest dst destination, dev development, diff difference, dir directory folder,
doc documentation document, elem element, env environment, err error, eval evaluate evaluation, exec execute execution,
expr expression, ext extension, fmt format, fn func function, fs filesystem, gc garbage, gen generate generation generator,
hdr header, id identifier, idx index, img image, impl implementation implement, info information,
init initialize initialization initialise, int integer, iter iterator iterate iteration, lang language, len length,
lib library, lit literal, loc location, max maximum, mem memory, min minimum, mod module, msg message, num number,
obj object, op operation, opt option, orig original, perm permission, pkg package, pos position, prev previous,
priv private, proc process, prop property, proto protocol, ptr pointer, pub public, recv receive, ref reference,
reg register, regex regexp, repo repository, req request, res resp response, ret return, sched scheduler schedule,
sec second, seq sequence, sig signature, spec specification, src source, stat statistics, stmt statement, str string,
struct structure, sub subscribe subscription, sync synchronize synchronization synchronise, sys system,
temp tmp temporary, txn transaction, typ type, util utility, val value, var variable, ver version, win windows`

// formTable lists for each stem those of its other forms.
var formTable = sync.OnceValue(func() map[string][]string {
	table := map[string][]string{}
	for group := range strings.SplitSeq(shortForms, ",") {
		words := strings.Fields(group)
		for _, word := range words {
			stem := string(stemOf([]byte(word)))
			for _, other := range words {
				if s := string(stemOf([]byte(other))); s != stem {
					table[stem] = append(table[stem], s)
				}
			}
		}
	}
	return table
})

// formsOf returns the stems of the other forms of a word with this stem.
func formsOf(stem string) []string { return formTable()[stem] }
