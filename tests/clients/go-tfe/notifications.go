package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"

	tfe "github.com/hashicorp/go-tfe"
)

func walkNotifications(ctx context.Context, client *tfe.Client, ws *tfe.Workspace, team *tfe.Team) {
	receiver := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		if request.URL.Path != "/" {
			response.WriteHeader(http.StatusNotFound)
		}
	}))
	defer receiver.Close()

	created, err := client.NotificationConfigurations.Create(ctx, ws.ID, tfe.NotificationConfigurationCreateOptions{
		DestinationType: tfe.NotificationDestination(tfe.NotificationDestinationTypeGeneric),
		Enabled:         tfe.Bool(true), Name: tfe.String("channel"), Token: tfe.String("a token"), URL: tfe.String(receiver.URL),
		Triggers: []tfe.NotificationTriggerType{tfe.NotificationTriggerErrored, tfe.NotificationTriggerCreated},
	})
	check("notification configuration create", err)
	expect("notification configuration", created.Name == "channel" && created.Enabled && created.Token == "" && created.URL == receiver.URL &&
		len(created.Triggers) == 2 && created.Subscribable.ID == ws.ID, created)
	expect("verified", len(created.DeliveryResponses) == 1 && created.DeliveryResponses[0].Code == "200" &&
		created.DeliveryResponses[0].Successful == "true" && !created.DeliveryResponses[0].SentAt.IsZero(), created.DeliveryResponses)
	list, err := client.NotificationConfigurations.List(ctx, ws.ID, nil)
	check("notification configuration list", err)
	expect("listed whole", len(list.Items) == 1 && list.Items[0].ID == created.ID && list.Items[0].SubscribableChoice.Workspace.ID == ws.ID, list)
	changed, err := client.NotificationConfigurations.Update(ctx, created.ID, tfe.NotificationConfigurationUpdateOptions{
		Enabled: tfe.Bool(false), URL: tfe.String(receiver.URL + "/elsewhere"),
	})
	check("notification configuration update", err)
	expect("disabled", !changed.Enabled && changed.Name == "channel" && len(changed.Triggers) == 2, changed)
	_, err = client.NotificationConfigurations.Verify(ctx, created.ID)
	expect("verification that fails", err != nil, err)
	read, err := client.NotificationConfigurations.Read(ctx, created.ID)
	check("notification configuration read", err)
	expect("answers are kept", len(read.DeliveryResponses) == 2 && read.DeliveryResponses[0].Code == "404", read.DeliveryResponses)
	check("notification configuration delete", client.NotificationConfigurations.Delete(ctx, created.ID))
	_, err = client.NotificationConfigurations.Read(ctx, created.ID)
	expect("deleted notification configuration", errors.Is(err, tfe.ErrResourceNotFound), err)

	choice := &tfe.NotificationConfigurationSubscribableChoice{Team: team}
	created, err = client.NotificationConfigurations.Create(ctx, team.ID, tfe.NotificationConfigurationCreateOptions{
		DestinationType: tfe.NotificationDestination(tfe.NotificationDestinationTypeSlack), SubscribableChoice: choice,
		Enabled: tfe.Bool(true), Name: tfe.String("requests"), URL: tfe.String(receiver.URL),
		Triggers: []tfe.NotificationTriggerType{tfe.NotificationTriggerChangeRequestCreated},
	})
	check("notification configuration of a team", err)
	expect("of a team", created.SubscribableChoice.Team.ID == team.ID && len(created.Triggers) == 1, created)
	list, err = client.NotificationConfigurations.List(ctx, team.ID, &tfe.NotificationConfigurationListOptions{SubscribableChoice: choice})
	check("notification configurations of a team", err)
	expect("listed for the team", len(list.Items) == 1 && list.Items[0].SubscribableChoice.Team.ID == team.ID, list)
	check("notification configuration of a team deleted", client.NotificationConfigurations.Delete(ctx, created.ID))
}
