package main

import (
	"context"
	"errors"

	tfe "github.com/hashicorp/go-tfe"
)

func walkRunTriggers(ctx context.Context, client *tfe.Client, org *tfe.Organization, ws *tfe.Workspace) {
	source, err := client.Workspaces.Create(ctx, org.Name, tfe.WorkspaceCreateOptions{Name: tfe.String("source"), AutoApplyRunTrigger: tfe.Bool(true)})
	check("source create", err)
	expect("auto-apply of triggered runs", source.AutoApplyRunTrigger, source)
	created, err := client.RunTriggers.Create(ctx, ws.ID, tfe.RunTriggerCreateOptions{Sourceable: source})
	check("run trigger create", err)
	expect("run trigger", created.SourceableName == "source" && created.WorkspaceName == ws.Name && created.Sourceable.ID == source.ID &&
		created.Workspace.ID == ws.ID && !created.CreatedAt.IsZero(), created)
	_, err = client.RunTriggers.Create(ctx, ws.ID, tfe.RunTriggerCreateOptions{Sourceable: source})
	expect("the same source twice", err != nil, err)
	_, err = client.RunTriggers.Create(ctx, source.ID, tfe.RunTriggerCreateOptions{Sourceable: source})
	expect("itself as source", err != nil, err)

	inbound, err := client.RunTriggers.List(ctx, ws.ID, &tfe.RunTriggerListOptions{
		RunTriggerType: tfe.RunTriggerInbound, Include: []tfe.RunTriggerIncludeOpt{tfe.RunTriggerSourceable, tfe.RunTriggerWorkspace},
	})
	check("inbound run triggers", err)
	expect("inbound", inbound.TotalCount == 1 && inbound.CurrentPage == 1 && inbound.Items[0].ID == created.ID &&
		inbound.Items[0].SourceableChoice.Workspace.Name == "source" && inbound.Items[0].Workspace.Name == ws.Name, inbound)
	past, err := client.RunTriggers.List(ctx, ws.ID, &tfe.RunTriggerListOptions{
		ListOptions: tfe.ListOptions{PageNumber: 999, PageSize: 100}, RunTriggerType: tfe.RunTriggerInbound,
	})
	check("run triggers past their end", err)
	expect("empty page of run triggers", len(past.Items) == 0 && past.CurrentPage == 999 && past.TotalCount == 1, past)
	outbound, err := client.RunTriggers.List(ctx, source.ID, &tfe.RunTriggerListOptions{RunTriggerType: tfe.RunTriggerOutbound})
	check("outbound run triggers", err)
	expect("outbound", len(outbound.Items) == 1 && outbound.Items[0].ID == created.ID, outbound)

	read, err := client.RunTriggers.ReadWithOptions(ctx, created.ID, &tfe.RunTriggerReadOptions{
		Include: []tfe.RunTriggerIncludeOpt{tfe.RunTriggerSourceable, tfe.RunTriggerWorkspace},
	})
	check("run trigger read", err)
	expect("run trigger with its workspaces", read.Sourceable.ID == source.ID && read.Workspace.ID == ws.ID, read)
	check("run trigger delete", client.RunTriggers.Delete(ctx, created.ID))
	_, err = client.RunTriggers.Read(ctx, created.ID)
	expect("deleted run trigger", errors.Is(err, tfe.ErrResourceNotFound), err)
	expect("run trigger that does not exist", errors.Is(client.RunTriggers.Delete(ctx, "nonexisting"), tfe.ErrResourceNotFound), nil)
	check("source delete", client.Workspaces.DeleteByID(ctx, source.ID))
}
