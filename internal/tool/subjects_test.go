package tool

func codemapSubjects() []subject { return nil }
func vecgrepSubjects() []subject { return nil }
func memorySubjects() []subject  { return nil }
