package main

import (
	"context"
	"errors"
	"os"
	"time"

	tfe "github.com/hashicorp/go-tfe"
)

// walkTokens issues both tokens of an organization, and reads its audit trail with the one that is for that alone.
func walkTokens(ctx context.Context, client *tfe.Client, org *tfe.Organization) {
	audits := tfe.AuditTrailToken
	own, err := client.OrganizationTokens.Create(ctx, org.Name)
	check("organization token create", err)
	token, err := client.OrganizationTokens.CreateWithOptions(ctx, org.Name, tfe.OrganizationTokenCreateOptions{TokenType: &audits})
	check("audit token create", err)
	expect("two tokens", token.ID != own.ID && token.Token != "", token)
	read, err := client.OrganizationTokens.ReadWithOptions(ctx, org.Name, tfe.OrganizationTokenReadOptions{TokenType: &audits})
	check("audit token read", err)
	expect("the audit token without its secret", read.ID == token.ID && read.Token == "", read)

	auditor, err := tfe.NewClient(&tfe.Config{Address: os.Args[1], Token: token.Token})
	check("client with the audit token", err)
	trail, err := auditor.AuditTrails.List(ctx, nil)
	check("audit trail list", err)
	expect("events", len(trail.Items) > 1 && trail.TotalCount == len(trail.Items), trail)
	newest := trail.Items[0]
	expect("an event", newest.ID != "" && newest.Auth.OrganizationID != "" && newest.Request.ID != "" &&
		newest.Resource.ID == token.ID && time.Since(newest.Timestamp) < time.Hour, newest)
	later, err := auditor.AuditTrails.List(ctx, &tfe.AuditTrailListOptions{
		Since: time.Now().Add(time.Hour), ListOptions: &tfe.ListOptions{PageNumber: 1, PageSize: 1000},
	})
	check("audit trail list since later", err)
	expect("no events", len(later.Items) == 0, later)
	_, err = auditor.Organizations.Read(ctx, org.Name)
	expect("nothing else", errors.Is(err, tfe.ErrResourceNotFound), err)

	check("audit token delete", client.OrganizationTokens.DeleteWithOptions(ctx, org.Name, tfe.OrganizationTokenDeleteOptions{TokenType: &audits}))
	_, err = client.OrganizationTokens.ReadWithOptions(ctx, org.Name, tfe.OrganizationTokenReadOptions{TokenType: &audits})
	expect("audit token gone", errors.Is(err, tfe.ErrResourceNotFound), err)
	still, err := client.OrganizationTokens.Read(ctx, org.Name)
	check("organization token read", err)
	expect("the organization's own token", still.ID == own.ID, still)
}
