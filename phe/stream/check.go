package stream

// Check returns the error that Learn would return for a record's fields, and whether the record has a target. A server calls it
// before it promises to learn the record. It does not wait for a learner that is busy.
func (l *Learner) Check(r Record) (labelled bool, err error) {
	_, labelled, _, err = l.label(r)
	return labelled, err
}

// CheckTarget returns the error that Label would return for a target, and whether the target is known. It does not wait for a
// learner that is busy.
func (l *Learner) CheckTarget(target string) (known bool, err error) {
	_, known, err = l.schema.Target.parse(target)
	return known, err
}

// Waits returns whether a record waits for its label under an id.
func (l *Learner) Waits(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.wait.byID[id] != nil
}
