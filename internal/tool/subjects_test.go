package tool

func codemapSubjects() []subject { return nil }
func vecgrepSubjects() []subject { return nil }
func flowSubjects() []subject    { return nil }
func stashSubjects() []subject   { return nil }
func hostSubjects() []subject    { return nil }
func memorySubjects() []subject  { return nil }
