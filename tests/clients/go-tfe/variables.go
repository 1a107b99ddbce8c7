package main

import (
	"context"
	"errors"

	tfe "github.com/hashicorp/go-tfe"
)

func walkVariables(ctx context.Context, client *tfe.Client, ws *tfe.Workspace) {
	region, err := client.Variables.Create(ctx, ws.ID, tfe.VariableCreateOptions{
		Key: tfe.String("region"), Value: tfe.String("eu"), Description: tfe.String("where it is"),
		Category: tfe.Category(tfe.CategoryTerraform),
	})
	check("variable create", err)
	expect("variable", region.Key == "region" && region.Value == "eu" && region.Description == "where it is" &&
		region.Category == tfe.CategoryTerraform && !region.HCL && !region.Sensitive && region.VersionID != "", region)
	expect("workspace of the variable", region.Workspace != nil && region.Workspace.ID == ws.ID, region.Workspace)
	secret, err := client.Variables.Create(ctx, ws.ID, tfe.VariableCreateOptions{
		Key: tfe.String("API_KEY"), Value: tfe.String("hidden"), Category: tfe.Category(tfe.CategoryEnv), Sensitive: tfe.Bool(true),
	})
	check("sensitive variable create", err)
	expect("sensitive variable", secret.Sensitive && secret.Value == "", secret)
	_, err = client.Variables.Create(ctx, ws.ID, tfe.VariableCreateOptions{
		Key: tfe.String("region"), Category: tfe.Category(tfe.CategoryTerraform),
	})
	expect("variable twice", err != nil && err.Error() == "invalid attribute\n\nKey has already been taken", err)

	changed, err := client.Variables.Update(ctx, ws.ID, region.ID, tfe.VariableUpdateOptions{
		Value: tfe.String(`["eu", "us"]`), HCL: tfe.Bool(true),
	})
	check("variable update", err)
	expect("changed variable", changed.Value == `["eu", "us"]` && changed.HCL && changed.VersionID != region.VersionID, changed)
	_, err = client.Variables.Update(ctx, ws.ID, secret.ID, tfe.VariableUpdateOptions{Sensitive: tfe.Bool(false)})
	expect("sensitive for good", err != nil, err)
	read, err := client.Variables.Read(ctx, ws.ID, secret.ID)
	check("variable read", err)
	expect("hidden value", read.Key == "API_KEY" && read.Sensitive && read.Value == "", read)
	list, err := client.Variables.List(ctx, ws.ID, &tfe.VariableListOptions{ListOptions: tfe.ListOptions{PageSize: 100}})
	check("variable list", err)
	expect("listed by key", len(list.Items) == 2 && list.Items[0].ID == secret.ID && list.Items[1].ID == region.ID, list)
	ws, err = client.Workspaces.ReadByID(ctx, ws.ID)
	check("workspace read with variables", err)
	expect("variable permissions", ws.Permissions.CanUpdateVariable, ws.Permissions)

	check("variable delete", client.Variables.Delete(ctx, ws.ID, region.ID))
	_, err = client.Variables.Read(ctx, ws.ID, region.ID)
	expect("deleted variable", errors.Is(err, tfe.ErrResourceNotFound), err)
}
