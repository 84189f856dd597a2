package profile

// outbox returns how the target's outbox is read, nil without a way.
func (p *Profile) outbox() *Source {
	if p.Observe == nil {
		return nil
	}
	return p.Observe.Outbox
}

// credentials adds what reading there proves who we are with.
func (from *Source) credentials(secrets map[string]string, name string) {
	switch {
	case from == nil:
	case from.HTTP != nil:
		credentials(secrets, name, from.HTTP.Header)
	case from.SQL != nil:
		secrets[name+":dsn"] = from.SQL.DSN
	}
}
