// Package clients makes one journey with the client that oapi-codegen generates, against a service with its demo.
package clients

import (
	"context"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"headgate.dev/server/clients/api"
)

const domain = "gallery"

func client(t *testing.T) *api.ClientWithResponses {
	t.Helper()
	token := os.Getenv("HEADGATE_TOKEN")
	made, err := api.NewClientWithResponses(os.Getenv("HEADGATE_URL"),
		api.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+token)
			return nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestAListIsFollowedPageByPage(t *testing.T) {
	limit := int32(1)
	query := &api.ListDomainsParams{Limit: &limit}
	var names []string
	for {
		page, err := client(t).ListDomainsWithResponse(t.Context(), query)
		if err != nil || page.JSON200 == nil {
			t.Fatal(err, page)
		}
		for _, each := range page.JSON200.Items {
			names = append(names, each.Name)
		}
		if page.JSON200.NextCursor == nil {
			break
		}
		query.Cursor = page.JSON200.NextCursor
	}
	if !slices.Equal(names, []string{"auction", "bank", "gallery"}) {
		t.Fatal("listed", names)
	}
}

func TestADomainIsRead(t *testing.T) {
	found, err := client(t).ReadDomainWithResponse(t.Context(), domain)
	if err != nil || found.JSON200 == nil {
		t.Fatal(err, found)
	}
	if found.JSON200.Pool.Domain != domain || found.JSON200.Wire.MaxClients < 1 {
		t.Fatal("read", found.JSON200)
	}
}

func TestWhatIsNotThereIsAProblem(t *testing.T) {
	missing, err := client(t).ReadDomainWithResponse(t.Context(), "nobody")
	if err != nil || missing.ApplicationproblemJSON404 == nil {
		t.Fatal(err, missing)
	}
	if !strings.HasSuffix(missing.ApplicationproblemJSON404.Type, "/not-found") {
		t.Fatal("type", missing.ApplicationproblemJSON404.Type)
	}
}

func TestASetIsPutOnceForEachRevisionAndTheStaleOneIsTold(t *testing.T) {
	before, err := client(t).ReadDomainPoliciesWithResponse(t.Context(), domain)
	if err != nil || before.JSON200 == nil {
		t.Fatal(err, before)
	}
	based := &api.PutDomainPoliciesParams{IfMatch: before.HTTPResponse.Header.Get("ETag")}
	changed := before.JSON200.PolicySet
	*changed.WhenExhausted.Depth++
	put, err := client(t).PutDomainPoliciesWithResponse(t.Context(), domain, based, changed)
	if err != nil || put.JSON200 == nil {
		t.Fatal(err, put)
	}
	if put.JSON200.Revision != before.JSON200.Revision+1 {
		t.Fatal("revision", put.JSON200.Revision)
	}
	*changed.WhenExhausted.Depth++
	stale, err := client(t).PutDomainPoliciesWithResponse(t.Context(), domain, based, changed)
	if err != nil || stale.ApplicationproblemJSON412 == nil {
		t.Fatal(err, stale)
	}
	if current := stale.ApplicationproblemJSON412.CurrentRevision; current == nil || *current != put.JSON200.Revision {
		t.Fatal("current revision", current)
	}
}

func TestDecisionsAreRead(t *testing.T) {
	limit := int32(2)
	page, err := client(t).ListDomainDecisionsWithResponse(t.Context(), domain, &api.ListDomainDecisionsParams{Limit: &limit})
	if err != nil || page.JSON200 == nil {
		t.Fatal(err, page)
	}
	if len(page.JSON200.Items) == 0 || *page.JSON200.Items[0].Domain != domain {
		t.Fatal("decisions", page.JSON200.Items)
	}
}
