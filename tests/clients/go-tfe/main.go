// Walks the service with the client library that the field's tools are built on, unmodified.
// Usage: go run . <address> <token> <configuration directory>. Prints one line per step; exits 1 at the first surprise.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	tfe "github.com/hashicorp/go-tfe"
)

func check(step string, err error) {
	if err != nil {
		fmt.Printf("FAILED %s: %v\n", step, err)
		os.Exit(1)
	}
	fmt.Printf("ok %s\n", step)
}

func expect(step string, holds bool, got any) {
	if !holds {
		check(step, fmt.Errorf("got %v", got))
	}
	check(step, nil)
}

func main() {
	ctx := context.Background()
	client, err := tfe.NewClient(&tfe.Config{Address: os.Args[1], Token: os.Args[2]})
	check("client", err)
	expect("enterprise", client.IsEnterprise(), client.AppName())

	org, err := client.Organizations.Create(ctx, tfe.OrganizationCreateOptions{
		Name: tfe.String("go-client"), Email: tfe.String("go@example.com"),
	})
	check("organization create", err)
	entitlements, err := client.Organizations.ReadEntitlements(ctx, org.Name)
	check("entitlements", err)
	expect("entitled", entitlements.Teams && entitlements.Operations && entitlements.Agents, entitlements)
	user, err := client.Users.ReadCurrent(ctx)
	check("account", err)

	team, err := client.Teams.Create(ctx, org.Name, tfe.TeamCreateOptions{
		Name:               tfe.String("developers"),
		Visibility:         tfe.String("organization"),
		OrganizationAccess: &tfe.OrganizationAccessOptions{ManageWorkspaces: tfe.Bool(true)},
	})
	check("team create", err)
	expect("organization access", team.OrganizationAccess.ManageWorkspaces && !team.OrganizationAccess.ManageTeams, team.OrganizationAccess)
	check("team member add", client.TeamMembers.Add(ctx, team.ID, tfe.TeamMemberAddOptions{Usernames: []string{user.Username}}))
	team, err = client.Teams.Read(ctx, team.ID)
	check("team read", err)
	expect("team has its member", team.UserCount == 1 && len(team.Users) == 1 && team.Users[0].ID == user.ID, team)
	check("team member remove", client.TeamMembers.Remove(ctx, team.ID, tfe.TeamMemberRemoveOptions{Usernames: []string{user.Username}}))

	ws, err := client.Workspaces.Create(ctx, org.Name, tfe.WorkspaceCreateOptions{Name: tfe.String("network"), AutoApply: tfe.Bool(true)})
	check("workspace create", err)
	ws, err = client.Workspaces.Read(ctx, org.Name, "network")
	check("workspace read", err)
	expect("workspace permissions", ws.Permissions.CanQueueRun && ws.Permissions.CanUpdate, ws.Permissions)
	ws, err = client.Workspaces.Lock(ctx, ws.ID, tfe.WorkspaceLockOptions{Reason: tfe.String("maintenance")})
	check("workspace lock", err)
	expect("locked", ws.Locked, ws.Locked)
	_, err = client.Workspaces.Lock(ctx, ws.ID, tfe.WorkspaceLockOptions{})
	expect("locked twice", errors.Is(err, tfe.ErrWorkspaceLocked), err)
	ws, err = client.Workspaces.Unlock(ctx, ws.ID)
	check("workspace unlock", err)

	first, err := client.ConfigurationVersions.Create(ctx, ws.ID, tfe.ConfigurationVersionCreateOptions{AutoQueueRuns: tfe.Bool(false)})
	check("version create", err)
	expect("upload url", first.UploadURL != "" && first.Status == tfe.ConfigurationPending, first)
	ws, err = client.Workspaces.ReadByID(ctx, ws.ID)
	check("workspace read by id", err)
	expect("current version", ws.CurrentConfigurationVersion != nil && ws.CurrentConfigurationVersion.ID == first.ID, ws.CurrentConfigurationVersion)
	_, err = client.ConfigurationVersions.Download(ctx, first.ID)
	expect("download while pending", errors.Is(err, tfe.ErrResourceNotFound), err)
	check("upload", client.ConfigurationVersions.Upload(ctx, first.UploadURL, os.Args[3]))
	check("upload again", client.ConfigurationVersions.Upload(ctx, first.UploadURL, os.Args[3]))
	first, err = client.ConfigurationVersions.Read(ctx, first.ID)
	check("version read", err)
	expect("uploaded", first.Status == tfe.ConfigurationUploaded && first.UploadURL == "" && !first.StatusTimestamps.FinishedAt.After(time.Now()), first)
	err = client.ConfigurationVersions.Upload(ctx, "http://127.0.0.1"+"/nowhere", os.Args[3])
	expect("upload elsewhere", err != nil, err)

	archive := bytes.NewReader(mustDownload(ctx, client, first.ID))
	second, err := client.ConfigurationVersions.Create(ctx, ws.ID, tfe.ConfigurationVersionCreateOptions{Speculative: tfe.Bool(true), AutoQueueRuns: tfe.Bool(false)})
	check("speculative create", err)
	content := make([]byte, archive.Len())
	_, err = archive.Read(content)
	check("archive bytes", err)
	check("upload of the downloaded bytes", client.ConfigurationVersions.UploadTarGzip(ctx, second.UploadURL, bytes.NewReader(content)))
	expect("the same bytes", bytes.Equal(content, mustDownload(ctx, client, second.ID)), len(content))

	list, err := client.ConfigurationVersions.List(ctx, ws.ID, nil)
	check("version list", err)
	expect("newest first", len(list.Items) == 2 && list.Items[0].ID == second.ID && list.TotalCount == 2, list)
	past, err := client.ConfigurationVersions.List(ctx, ws.ID, &tfe.ConfigurationVersionListOptions{
		ListOptions: tfe.ListOptions{PageNumber: 999, PageSize: 100},
	})
	check("version list past its end", err)
	expect("empty page", len(past.Items) == 0 && past.CurrentPage == 999 && past.TotalCount == 2, past)
	_, err = client.ConfigurationVersions.ReadWithOptions(ctx, first.ID, &tfe.ConfigurationVersionReadOptions{
		Include: []tfe.ConfigVerIncludeOpt{tfe.ConfigVerIngressAttributes, tfe.ConfigVerRun},
	})
	check("version read with includes", err)

	err = client.ConfigurationVersions.Archive(ctx, first.ID)
	expect("archive of the current version", err != nil && err.Error() == "transition not allowed\n\nconfiguration could not be archived because it is current", err)
	_, err = client.ConfigurationVersions.Create(ctx, ws.ID, tfe.ConfigurationVersionCreateOptions{})
	check("third create", err)
	check("archive", client.ConfigurationVersions.Archive(ctx, first.ID))
	first, err = client.ConfigurationVersions.Read(ctx, first.ID)
	check("archived read", err)
	expect("archived", first.Status == tfe.ConfigurationArchived, first.Status)
	_, err = client.ConfigurationVersions.Read(ctx, "nonexisting")
	expect("missing version", errors.Is(err, tfe.ErrResourceNotFound), err)

	walkPolicies(ctx, client, org)
	walkVariables(ctx, client, ws)
	walkNotifications(ctx, client, ws, team)
	walkRunTriggers(ctx, client, org, ws)
	walkStates(ctx, client, org, ws)
	walkRuns(ctx, client, org)
	walkTokens(ctx, client, org)

	check("workspace delete", client.Workspaces.DeleteByID(ctx, ws.ID))
	check("team delete", client.Teams.Delete(ctx, team.ID))
	check("organization delete", client.Organizations.Delete(ctx, org.Name))
	_, err = client.ConfigurationVersions.Read(ctx, second.ID)
	expect("all hidden", errors.Is(err, tfe.ErrResourceNotFound), err)
}

func mustDownload(ctx context.Context, client *tfe.Client, id string) []byte {
	content, err := client.ConfigurationVersions.Download(ctx, id)
	check("download", err)
	return content
}
