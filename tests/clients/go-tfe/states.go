package main

import (
	"context"
	"crypto/md5"
	"fmt"
	"time"

	tfe "github.com/hashicorp/go-tfe"
)

func stateText(serial int) []byte {
	return []byte(fmt.Sprintf(`{"version":4,"terraform_version":"1.11.4","serial":%d,"lineage":"walk","outputs":{"address":{"value":"10.0.0.%d","type":"string"}},"resources":[]}`, serial, serial))
}

func walkStates(ctx context.Context, client *tfe.Client, org *tfe.Organization, ws *tfe.Workspace) {
	_, err := client.Workspaces.Lock(ctx, ws.ID, tfe.WorkspaceLockOptions{Reason: tfe.String("states")})
	check("lock for states", err)
	for serial := 1; serial <= 2; serial++ {
		content := stateText(serial)
		version, err := client.StateVersions.Upload(ctx, ws.ID, tfe.StateVersionUploadOptions{
			StateVersionCreateOptions: tfe.StateVersionCreateOptions{
				Lineage: tfe.String("walk"), Serial: tfe.Int64(int64(serial)), MD5: tfe.String(fmt.Sprintf("%x", md5.Sum(content))),
			},
			RawState: content,
		})
		check("state upload", err)
		expect("state serial", version.Serial == int64(serial), version)
	}
	current, err := client.StateVersions.ReadCurrent(ctx, ws.ID)
	check("current state", err)
	expect("current serial", current.Serial == 2 && current.Status == tfe.StateVersionFinalized, current)
	content, err := client.StateVersions.Download(ctx, current.DownloadURL)
	check("state download", err)
	expect("state bytes", string(content) == string(stateText(2)), string(content))
	list, err := client.StateVersions.List(ctx, &tfe.StateVersionListOptions{Organization: org.Name, Workspace: ws.Name})
	check("state list", err)
	expect("two states", len(list.Items) == 2 && list.Items[0].ID == current.ID, list)
	// They are read in the background.
	outputs, err := client.StateVersionOutputs.ReadCurrent(ctx, ws.ID)
	for err != nil {
		time.Sleep(100 * time.Millisecond)
		outputs, err = client.StateVersionOutputs.ReadCurrent(ctx, ws.ID)
	}
	check("outputs", err)
	expect("output", len(outputs.Items) == 1 && outputs.Items[0].Name == "address" && outputs.Items[0].Value == "10.0.0.2", outputs)
	_, err = client.Workspaces.Unlock(ctx, ws.ID)
	check("unlock after states", err)

	found, err := client.Workspaces.List(ctx, org.Name, &tfe.WorkspaceListOptions{Search: "netw", Sort: "-name"})
	check("workspace search", err)
	expect("workspace found", len(found.Items) == 1 && found.Items[0].ID == ws.ID, found)
	teams, err := client.Teams.List(ctx, org.Name, &tfe.TeamListOptions{Names: []string{"developers"}})
	check("team filter", err)
	expect("team found", len(teams.Items) == 1, teams)
}
