package provider_test

import (
	"testing"

	"github.com/oncecheck/oncecheck/fakes/provider"
)

func TestCatalog(t *testing.T) {
	p := provider.New()
	catalog := p.Catalog()
	status, first, _ := ask(catalog, "GET", "/items/sku-1?lang=de", "", "")
	if _, again, _ := ask(catalog, "GET", "/items/sku-1", "", ""); status != 200 || first != again || member(t, first, "sku") != "sku-1" {
		t.Errorf("%d %s, then %s", status, first, again)
	}
	if _, other, _ := ask(catalog, "GET", "/items/sku-2", "", ""); member(t, other, "price") == member(t, first, "price") {
		t.Errorf("two items cost the same: %s, %s", first, other)
	}
	status, held, _ := ask(catalog, "POST", "/items/sku-1/holds", "k", "{}")
	if _, again, _ := ask(catalog, "POST", "/items/sku-1/holds", "k", "{}"); status != 201 || held != again {
		t.Errorf("%d %s, then %s", status, held, again)
	}
	if status, _, _ := ask(catalog, "POST", "/items/sku-2/holds", "k", "{}"); status != 409 {
		t.Errorf("the same key for another item: %d", status)
	}
	ask(catalog, "POST", "/items/sku-1/holds", "", "")
	ask(catalog, "POST", "/items/sku-1/holds", "", "")
	entries := p.Entries(0)
	if len(entries) != 3 || entries[0].Kind != provider.KindHold || entries[0].Reference != "sku-1" || entries[0].ID != member(t, held, "id") {
		t.Errorf("one hold with a key and two without left %+v", entries)
	}
}
