package profile

// Injectors names fault injectors that already run, in place of the ones that a
// run brings along. They have to be on this machine, as the links are.
type Injectors struct {
	Toxiproxy string `yaml:"toxiproxy" jsonschema_description:"Admin URL of a running toxiproxy."`
	WireMock  string `yaml:"wiremock" jsonschema_description:"URL of a running WireMock, whose mappings and journal the run uses."`
}

func (p *Profile) validateInjectors(src *source) {
	if p.Injectors == nil {
		return
	}
	for _, i := range []struct{ path, url string }{{"injectors.toxiproxy", p.Injectors.Toxiproxy}, {"injectors.wiremock", p.Injectors.WireMock}} {
		if i.url == "" {
			continue
		}
		if u := src.url(i.path, i.url); u != nil && !isLoopback(u.Hostname()) {
			src.wrong(i.path, "must be on this machine: the links it acts on listen on loopback only")
		}
	}
}
