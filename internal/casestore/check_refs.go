package casestore

import (
	"fmt"

	"cortex/internal/casefile"
)

// references compares refs/ with the records that it names. Only records that were read count, so it comes after them.
func (c *checker) references(r *Reader) {
	names, err := r.refNames()
	if err != nil {
		c.damaged(refsDir, err)
	}
	for _, name := range names {
		var ref casefile.Ref
		switch _, err := r.snapshot(name, &ref); {
		case err != nil:
			c.add(Damage, name, 0, err.Error(), "restore it from a copy, or remove it and cite the reference again")
		case name != refName(casefile.RefID(ref.Reference)) || ref.ID != casefile.RefID(ref.Reference):
			c.add(Damage, name, 0, "its name does not belong to its reference", "restore it from a copy, or remove it and cite the reference again")
		default:
			c.citing(name, ref)
		}
	}
}

func (c *checker) citing(name string, ref casefile.Ref) {
	for _, id := range ref.Citing {
		if !c.ids[id] {
			c.add(Damage, name, 0, fmt.Sprintf("it says that %s cites it, and there is no such record", clip(id)),
				"restore the record from a copy, or take the id out of the list")
			return
		}
	}
	if len(ref.Citing) == 0 {
		c.add(Notice, name, 0, "no record cites it", "nothing to do, or remove it")
	}
}
