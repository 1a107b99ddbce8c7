// Walks the service with go-tfe, the client library of the field's tools: creates an organization with a team and a
// workspace, access and a token for the team, and a configuration version as the team.
// Usage: TFE_ADDRESS=http://127.0.0.1:8080 TFE_TOKEN=<a site administrator's token> go run . [name of a new organization]
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	tfe "github.com/hashicorp/go-tfe"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	ctx := context.Background()
	// The address and the token are read from the environment.
	admin := must(tfe.NewClient(tfe.DefaultConfig()))
	name := fmt.Sprintf("go-%d", os.Getpid())
	if len(os.Args) > 1 {
		name = os.Args[1]
	}

	organization := must(admin.Organizations.Create(ctx, tfe.OrganizationCreateOptions{
		Name: tfe.String(name), Email: tfe.String("ops@example.com"),
	}))
	workspace := must(admin.Workspaces.Create(ctx, name, tfe.WorkspaceCreateOptions{Name: tfe.String("network")}))
	team := must(admin.Teams.Create(ctx, name, tfe.TeamCreateOptions{Name: tfe.String("platform")}))
	fmt.Printf("organization %s: workspace %s, team %s\n", organization.Name, workspace.ID, team.ID)

	token := must(admin.TeamTokens.Create(ctx, team.ID))
	asTeam := must(tfe.NewClient(&tfe.Config{Token: token.Token}))
	if _, err := asTeam.Workspaces.ReadByID(ctx, workspace.ID); !errors.Is(err, tfe.ErrResourceNotFound) {
		log.Fatalf("a team without access must not see the workspace: %v", err)
	}

	access := must(admin.TeamAccess.Add(ctx, tfe.TeamAccessAddOptions{
		Access: tfe.Access(tfe.AccessPlan), Team: team, Workspace: workspace,
	}))
	access = must(admin.TeamAccess.Update(ctx, access.ID, tfe.TeamAccessUpdateOptions{
		Access: tfe.Access(tfe.AccessCustom), Runs: tfe.RunsPermission(tfe.RunsPermissionPlan),
	}))
	fmt.Printf("the team's access: %s, runs: %s\n", access.Access, access.Runs)

	version := must(asTeam.ConfigurationVersions.Create(ctx, workspace.ID, tfe.ConfigurationVersionCreateOptions{
		AutoQueueRuns: tfe.Bool(false),
	}))
	if err := asTeam.ConfigurationVersions.Upload(ctx, version.UploadURL, "../configuration"); err != nil {
		log.Fatal(err)
	}
	version = must(asTeam.ConfigurationVersions.Read(ctx, version.ID))
	fmt.Printf("as the team: version %s is %s\n", version.ID, version.Status)
	bytes := must(asTeam.ConfigurationVersions.Download(ctx, version.ID))
	list := must(asTeam.ConfigurationVersions.List(ctx, workspace.ID, nil))
	fmt.Printf("as the team: %d listed, %d bytes came back\n", list.TotalCount, len(bytes))

	if err := admin.Organizations.Delete(ctx, name); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("organization %s is deleted\n", name)
}
