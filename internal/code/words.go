package code

import (
	"strings"
	"sync"
)

// stopWords are the English and Spanish words that say nothing about where to look, interrogatives included.
var stopWords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for _, list := range []string{english, spanish} {
		for _, word := range strings.Fields(list) {
			words[word] = true
		}
	}
	return words
})

const english = `
a about an and any are as at be been being but by can could did do does doing for from had has have having he her his how i
if in into is it its me my of on or our she should so than that the their them then there these they this those to us was
we were what when where whether which while who whose why will with would you your`

const spanish = `
a acerca ademas además ahi ahí ahora al algo alguien algun algún alguna algunas alguno algunos alli allí ambos ante
antes aquel aquella aquellas aquello aquellos aqui aquí archivo asi así aun aún aunque bajo bien cada casi codigo código
como cómo con contra cual cuál cuales cuáles cualquier cuando cuándo cuanto cuánto cuya cuyo de debe deben debería del
desde despues después donde dónde dos durante e el él ella ellas ellos en encima encuentra entonces entre era eran es
esa esas ese eso esos esta está estaba estan están estar estas este esto estos funciona funcionan fue fueron fui ha hace
hacen hacer hacia hasta hay la las le les lo los mas más me menos mi mientras mis misma mismo mucho muchos muy nada
nadie ni ningun ningún ninguna ninguno no nos nosotros nuestra nuestro nunca o os otra otras otro otros para parece
parte pero poco podria podría por porque pues puede pueden que qué quien quién quienes saber se sea segun según ser si
sí sido siempre sin sino sobre solo sólo son su sus tal también tambien tampoco tan tanto te tener tiene tienen toda
todas todavia todavía todo todos tras u un una unas uno unos usa usan usar usted va van varias varios ver vez y ya yo`

// IsStopWord reports whether a word in lower case says nothing about where to look.
func IsStopWord(word string) bool { return stopWords()[word] }
