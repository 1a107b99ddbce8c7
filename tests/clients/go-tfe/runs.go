package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	tfe "github.com/hashicorp/go-tfe"
)

// What the client library has no words for: the agents' own interface, and policies as attributes of their set.
func call(step, method, path, token, lease string, body any, answer any) {
	content, err := json.Marshal(body)
	check(step+" body", err)
	request, err := http.NewRequest(method, os.Args[1]+path, bytes.NewReader(content))
	check(step+" request", err)
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Lease", lease)
	response, err := http.DefaultClient.Do(request)
	check(step+" sent", err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	check(step+" read", err)
	if response.StatusCode >= 300 {
		check(step, fmt.Errorf("%d %s", response.StatusCode, text))
	}
	if answer != nil && len(text) > 0 {
		check(step+" answer", json.Unmarshal(text, answer))
	}
}

type job struct {
	Lease       struct{ Token string }
	Run         struct{ ID string }
	Phase       string
	Evaluations []struct {
		ID   string
		Sets []struct {
			ID       string
			Policies []struct{ Name string }
		} `json:"policy-sets"`
	} `json:"policy-evaluations"`
}

func walkRuns(ctx context.Context, client *tfe.Client, org *tfe.Organization) {
	admin := os.Args[2]
	pool, err := client.AgentPools.Create(ctx, org.Name, tfe.AgentPoolCreateOptions{Name: tfe.String("ours")})
	check("agent pool create", err)
	pool, err = client.AgentPools.Read(ctx, pool.ID)
	check("agent pool read", err)
	expect("agent pool", pool.Name == "ours" && pool.Organization.Name == org.Name && pool.OrganizationScoped, pool)
	changed, err := client.Organizations.Update(ctx, org.Name, tfe.OrganizationUpdateOptions{
		DefaultExecutionMode: tfe.String("agent"), DefaultAgentPool: pool,
	})
	check("default agent pool", err)
	expect("default agent pool", changed.DefaultExecutionMode == "agent" && changed.DefaultAgentPool.ID == pool.ID, changed)
	token, err := client.AgentTokens.Create(ctx, pool.ID, tfe.AgentTokenCreateOptions{Description: tfe.String("walk")})
	check("agent token create", err)
	expect("agent secret", token.Token != "", token)
	read, err := client.AgentTokens.Read(ctx, token.ID)
	check("agent token read", err)
	expect("agent token", read.Description == "walk" && read.Token == "", read)

	set, err := client.PolicySets.Create(ctx, org.Name, tfe.PolicySetCreateOptions{
		Name: tfe.String("baseline"), Kind: tfe.OPA, Global: tfe.Bool(true), Overridable: tfe.Bool(true),
	})
	check("policy set create", err)
	call("policies", "PATCH", "/api/v2/policy-sets/"+set.ID, admin, "", map[string]any{"data": map[string]any{
		"type": "policy-sets", "attributes": map[string]any{"policies": []map[string]any{
			{"name": "tags", "enforcement-level": "mandatory", "query": "data.tags.deny", "description": "All are tagged"},
			{"name": "sizes", "enforcement-level": "advisory", "query": "data.sizes.deny"},
		}},
	}}, nil)
	set, err = client.PolicySets.Read(ctx, set.ID)
	check("policy set read", err)
	expect("policy set", set.Global && *set.Overridable && set.Kind == tfe.OPA && set.PolicyCount == 2, set)

	ws, err := client.Workspaces.Create(ctx, org.Name, tfe.WorkspaceCreateOptions{Name: tfe.String("runs")})
	check("workspace create", err)
	version, err := client.ConfigurationVersions.Create(ctx, ws.ID, tfe.ConfigurationVersionCreateOptions{AutoQueueRuns: tfe.Bool(false)})
	check("version create", err)
	_, err = client.Runs.Create(ctx, tfe.RunCreateOptions{Workspace: ws, ConfigurationVersion: version})
	expect("run of a pending version", err != nil && strings.Contains(err.Error(), "status is pending"), err)
	check("upload", client.ConfigurationVersions.Upload(ctx, version.UploadURL, os.Args[3]))
	run, err := client.Runs.Create(ctx, tfe.RunCreateOptions{Workspace: ws, ConfigurationVersion: version, Message: tfe.String("walk")})
	check("run create", err)
	expect("run", run.Status == tfe.RunPlanQueued && run.Actions.IsCancelable && run.Permissions.CanApply, run)

	stages, err := client.TaskStages.List(ctx, run.ID, nil)
	check("task stage list", err)
	expect("stage from the start", len(stages.Items) == 1 && len(stages.Items[0].PolicyEvaluations) == 1, stages)
	stage := stages.Items[0]

	claimed := job{}
	call("claim", "POST", "/agent/v1/claims?wait=10", token.Token, "", map[string]any{"name": "walk"}, &claimed)
	expect("claimed", claimed.Run.ID == run.ID && claimed.Phase == "plan", claimed)
	base := "/agent/v1/runs/" + run.ID
	call("log", "PUT", base+"/log?offset=0", token.Token, claimed.Lease.Token, "a line of the plan", nil)
	call("plan", "POST", base+"/plan", token.Token, claimed.Lease.Token, map[string]any{"status": "finished", "has-changes": true, "resource-additions": 3}, nil)
	evaluation := claimed.Evaluations[0]
	call("policies said", "POST", base+"/policy-evaluations/"+evaluation.ID, token.Token, claimed.Lease.Token, map[string]any{
		"policy-tool-version": "1.0.0",
		"policy-sets": []map[string]any{{"policy-set-id": evaluation.Sets[0].ID, "policies": []map[string]any{
			{"name": "tags", "status": "failed", "output": []string{"bucket"}}, {"name": "sizes", "status": "passed"},
		}}},
	}, nil)

	stage, err = client.TaskStages.Read(ctx, stage.ID, &tfe.TaskStageReadOptions{
		Include: []tfe.TaskStageIncludeOpt{tfe.TaskStageTaskResults, tfe.PolicyEvaluationsTaskResults},
	})
	check("task stage read", err)
	expect("awaits an override", stage.Status == tfe.TaskStageAwaitingOverride && *stage.Actions.IsOverridable && *stage.Permissions.CanOverride, stage)
	expect("counts", stage.PolicyEvaluations[0].ResultCount.MandatoryFailed == 1 && stage.PolicyEvaluations[0].ResultCount.Passed == 1, stage.PolicyEvaluations[0].ResultCount)
	run, err = client.Runs.ReadWithOptions(ctx, run.ID, &tfe.RunReadOptions{Include: []tfe.RunIncludeOpt{tfe.RunWorkspace, tfe.RunPlan, tfe.RunTaskStages, tfe.RunConfigVer}})
	check("run read with includes", err)
	expect("run waits", run.Status == tfe.RunPostPlanAwaitingDecision && run.Workspace.Name == "runs" && run.Plan.ResourceAdditions == 3, run)
	plan, err := client.Plans.Read(ctx, run.Plan.ID)
	check("plan read", err)
	expect("plan finished", plan.Status == tfe.PlanFinished && plan.HasChanges, plan)
	logs, err := client.Plans.Logs(ctx, plan.ID)
	check("plan logs", err)
	text, err := io.ReadAll(logs)
	check("plan log read", err)
	expect("plan log", strings.Contains(string(text), "a line of the plan"), string(text))

	evaluations, err := client.PolicyEvaluations.List(ctx, stage.ID, nil)
	check("policy evaluation list", err)
	expect("policy evaluation", len(evaluations.Items) == 1 && evaluations.Items[0].Status == tfe.PolicyEvaluationFailed, evaluations)
	outcomes, err := client.PolicySetOutcomes.List(ctx, evaluation.ID, &tfe.PolicySetOutcomeListOptions{
		Filter: map[string]tfe.PolicySetOutcomeListFilter{
			"0": {Status: "errored"}, "1": {Status: "failed", EnforcementLevel: "mandatory"},
		},
	})
	check("policy set outcome list", err)
	expect("outcome", len(outcomes.Items) == 1 && outcomes.Items[0].PolicySetName == "baseline" && len(outcomes.Items[0].Outcomes) == 2, outcomes)
	none, err := client.PolicySetOutcomes.List(ctx, evaluation.ID, &tfe.PolicySetOutcomeListOptions{
		Filter: map[string]tfe.PolicySetOutcomeListFilter{"0": {Status: "passed", EnforcementLevel: "mandatory"}},
	})
	check("policy set outcome list, filtered away", err)
	expect("no outcome", len(none.Items) == 0, none)
	outcome, err := client.PolicySetOutcomes.Read(ctx, outcomes.Items[0].ID)
	check("policy set outcome read", err)
	expect("outcome counts", outcome.ResultCount.MandatoryFailed == 1 && *outcome.Overridable, outcome)

	stage, err = client.TaskStages.Override(ctx, stage.ID, tfe.TaskStageOverrideOptions{Comment: tfe.String("it is late")})
	check("override", err)
	expect("overridden", stage.Status == tfe.TaskStagePassed, stage)
	_, err = client.TaskStages.Override(ctx, stage.ID, tfe.TaskStageOverrideOptions{})
	expect("overridden twice", err != nil && strings.Contains(err.Error(), "transition not allowed"), err)
	check("apply", client.Runs.Apply(ctx, run.ID, tfe.RunApplyOptions{Comment: tfe.String("go on")}))
	comment, err := client.Comments.Create(ctx, run.ID, tfe.CommentCreateOptions{Body: "watch the quota"})
	check("comment create", err)
	comment, err = client.Comments.Read(ctx, comment.ID)
	check("comment read", err)
	expect("comment", comment.Body == "watch the quota", comment)
	comments, err := client.Comments.List(ctx, run.ID)
	check("comment list", err)
	expect("comments of actions too", len(comments.Items) == 3 && comments.Items[0].Body == "it is late" && comments.Items[1].Body == "go on", comments)
	events, err := client.RunEvents.List(ctx, run.ID, &tfe.RunEventListOptions{Include: []tfe.RunEventIncludeOpt{tfe.RunEventActor, tfe.RunEventComment}})
	check("run event list", err)
	last := events.Items[len(events.Items)-1]
	expect("commented", last.Action == "commented" && last.Comment.Body == "watch the quota" && last.Actor.Username != "", last)
	event, err := client.RunEvents.Read(ctx, last.ID)
	check("run event read", err)
	expect("run event", event.Action == last.Action && event.Comment.ID == comment.ID, event)
	err = client.Runs.ForceCancel(ctx, run.ID, tfe.RunForceCancelOptions{Comment: tfe.String("too early")})
	expect("force cancel of what nobody canceled", err != nil && strings.Contains(err.Error(), "transition not allowed"), err)
	call("claim the apply", "POST", "/agent/v1/claims?wait=10", token.Token, "", map[string]any{"name": "walk"}, &claimed)
	call("applied", "POST", base+"/apply", token.Token, claimed.Lease.Token, map[string]any{"status": "finished"}, nil)
	apply, err := client.Applies.Read(ctx, run.Apply.ID)
	check("apply read", err)
	expect("apply finished", apply.Status == tfe.ApplyFinished, apply)
	run, err = client.Runs.Read(ctx, run.ID)
	check("run read", err)
	expect("applied run", run.Status == tfe.RunApplied, run.Status)
	runs, err := client.Runs.List(ctx, ws.ID, nil)
	check("run list", err)
	expect("one run", len(runs.Items) == 1 && runs.Items[0].ID == run.ID, runs)
	for _, filter := range []tfe.RunListOptions{{Status: "applied"}, {Search: "walk"}, {Operation: "plan_and_apply"}} {
		runs, err = client.Runs.List(ctx, ws.ID, &filter)
		check("run list, filtered", err)
		expect("the run is found", len(runs.Items) == 1, filter)
	}
	ofOrganization, err := client.Runs.ListForOrganization(ctx, org.Name, &tfe.RunListForOrganizationOptions{WorkspaceNames: "runs", StatusGroup: "final"})
	check("run list of the organization", err)
	expect("one final run", len(ofOrganization.Items) == 1 && ofOrganization.Items[0].ID == run.ID, ofOrganization)
	second, err := client.Runs.Create(ctx, tfe.RunCreateOptions{Workspace: ws})
	check("run of the current version", err)
	expect("force execute of a run that waits for no other", client.Runs.ForceExecute(ctx, second.ID) != nil, second)
	check("discard or cancel", client.Runs.Cancel(ctx, second.ID, tfe.RunCancelOptions{}))

	older, err := client.Workspaces.SetDataRetentionPolicyDeleteOlder(ctx, ws.ID, tfe.DataRetentionPolicyDeleteOlderSetOptions{DeleteOlderThanNDays: 30})
	check("retention", err)
	expect("days", older.DeleteOlderThanNDays == 30, older)
	choice, err := client.Workspaces.ReadDataRetentionPolicyChoice(ctx, ws.ID)
	check("retention read", err)
	expect("retention choice", choice.DataRetentionPolicyDeleteOlder != nil && choice.DataRetentionPolicyDeleteOlder.ID == older.ID, choice)
	_, err = client.Workspaces.SetDataRetentionPolicyDontDelete(ctx, ws.ID, tfe.DataRetentionPolicyDontDeleteSetOptions{})
	check("retention of everything", err)
	inherited, err := client.Organizations.SetDataRetentionPolicyDeleteOlder(ctx, org.Name, tfe.DataRetentionPolicyDeleteOlderSetOptions{DeleteOlderThanNDays: 90})
	check("retention of the organization", err)
	choice, err = client.Organizations.ReadDataRetentionPolicyChoice(ctx, org.Name)
	check("retention of the organization read", err)
	expect("retention choice of the organization", choice.DataRetentionPolicyDeleteOlder != nil && choice.DataRetentionPolicyDeleteOlder.ID == inherited.ID, choice)
	_, err = client.Organizations.SetDataRetentionPolicyDontDelete(ctx, org.Name, tfe.DataRetentionPolicyDontDeleteSetOptions{})
	check("retention of everything in the organization", err)
	check("retention of the organization deleted", client.Organizations.DeleteDataRetentionPolicy(ctx, org.Name))
	check("retention delete", client.Workspaces.DeleteDataRetentionPolicy(ctx, ws.ID))

	ranges, err := client.Meta.IPRanges.Read(ctx, "")
	check("ip ranges", err)
	expect("no ranges", len(ranges.API) == 0 && len(ranges.VCS) == 0, ranges)

	_, err = client.ConfigurationVersions.Create(ctx, ws.ID, tfe.ConfigurationVersionCreateOptions{})
	check("next version", err)
	check("soft delete", client.ConfigurationVersions.SoftDeleteBackingData(ctx, version.ID))
	_, err = client.ConfigurationVersions.Download(ctx, version.ID)
	expect("download of deleted data", err == tfe.ErrResourceNotFound, err)
	check("restore", client.ConfigurationVersions.RestoreBackingData(ctx, version.ID))
	expect("restored", len(mustDownload(ctx, client, version.ID)) > 0, nil)
	check("soft delete again", client.ConfigurationVersions.SoftDeleteBackingData(ctx, version.ID))
	check("permanently delete", client.ConfigurationVersions.PermanentlyDeleteBackingData(ctx, version.ID))
	err = client.ConfigurationVersions.RestoreBackingData(ctx, version.ID)
	expect("restore of what is gone", err != nil && strings.Contains(err.Error(), "transition not allowed"), err)

	check("policy set delete", client.PolicySets.Delete(ctx, set.ID))
	check("agent token delete", client.AgentTokens.Delete(ctx, token.ID))
	_, err = client.Organizations.Update(ctx, org.Name, tfe.OrganizationUpdateOptions{DefaultExecutionMode: tfe.String("remote")})
	check("default execution mode", err)
	check("agent pool delete", client.AgentPools.Delete(ctx, pool.ID))
	check("runs workspace delete", client.Workspaces.DeleteByID(ctx, ws.ID))
}
