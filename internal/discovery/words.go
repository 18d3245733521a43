package discovery

import (
	"strings"
	"sync"
)

// stopWords returns the English and Spanish words that say nothing about where to look, interrogatives included.
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
