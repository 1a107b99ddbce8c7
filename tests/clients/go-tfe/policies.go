package main

import (
	"context"
	"errors"
	"strings"

	tfe "github.com/hashicorp/go-tfe"
)

// Policies with code, and the sets they are in.
func walkPolicies(ctx context.Context, client *tfe.Client, org *tfe.Organization) {
	advisory, mandatory := tfe.EnforcementAdvisory, tfe.EnforcementMandatory
	policy, err := client.Policies.Create(ctx, org.Name, tfe.PolicyCreateOptions{
		Name: tfe.String("all-tagged"), Kind: tfe.OPA, Query: tfe.String("data.terraform.tags.deny"),
		Description: tfe.String("All are tagged"), EnforcementLevel: &mandatory,
	})
	check("policy create", err)
	expect("policy", policy.Kind == tfe.OPA && *policy.Query == "data.terraform.tags.deny" && policy.EnforcementLevel == mandatory, policy)
	expect("policy of the organization", policy.Organization.Name == org.Name && policy.PolicySetCount == 0, policy)
	old, err := client.Policies.Create(ctx, org.Name, tfe.PolicyCreateOptions{
		Name: tfe.String("sizes"), Kind: tfe.Sentinel,
		Enforce: []*tfe.EnforcementOptions{{Path: tfe.String("sizes.sentinel"), Mode: &advisory}},
	})
	check("policy create in the older spelling", err)
	expect("policy in the older spelling", len(old.Enforce) == 0 && old.EnforcementLevel == advisory && old.Query == nil, old)
	_, err = client.Policies.Create(ctx, org.Name, tfe.PolicyCreateOptions{
		Name: tfe.String("all-tagged"), Kind: tfe.OPA, Query: tfe.String("data.x"), EnforcementLevel: &advisory,
	})
	expect("policy of a taken name", err != nil && strings.Contains(err.Error(), "already been taken"), err)

	_, err = client.Policies.Download(ctx, policy.ID)
	expect("download before an upload", errors.Is(err, tfe.ErrResourceNotFound), err)
	code := "package terraform.tags\n\ndeny contains \"no owner\" if false\n"
	check("policy upload", client.Policies.Upload(ctx, policy.ID, []byte(code)))
	content, err := client.Policies.Download(ctx, policy.ID)
	check("policy download", err)
	expect("the same code", string(content) == code, string(content))
	policy, err = client.Policies.Update(ctx, policy.ID, tfe.PolicyUpdateOptions{EnforcementLevel: &advisory})
	check("policy update", err)
	expect("updated policy", policy.EnforcementLevel == advisory && policy.Description == "All are tagged", policy)

	all, err := client.Policies.List(ctx, org.Name, nil)
	check("policy list", err)
	expect("policies by name", len(all.Items) == 2 && all.Items[0].ID == policy.ID && all.TotalCount == 2, all)
	found, err := client.Policies.List(ctx, org.Name, &tfe.PolicyListOptions{Search: "TAG", Kind: tfe.OPA})
	check("policy search", err)
	expect("policy found", len(found.Items) == 1 && found.Items[0].ID == policy.ID, found)

	set, err := client.PolicySets.Create(ctx, org.Name, tfe.PolicySetCreateOptions{
		Name: tfe.String("attached"), Kind: tfe.OPA, Policies: []*tfe.Policy{policy},
	})
	check("policy set create with policies", err)
	expect("policy set with policies", set.PolicyCount == 1 && len(set.Policies) == 1 && set.Policies[0].ID == policy.ID, set)
	check("policy set remove policies", client.PolicySets.RemovePolicies(ctx, set.ID, tfe.PolicySetRemovePoliciesOptions{Policies: []*tfe.Policy{policy}}))
	err = client.PolicySets.AddPolicies(ctx, set.ID, tfe.PolicySetAddPoliciesOptions{Policies: []*tfe.Policy{policy, old}})
	expect("policies of another kind", err != nil && strings.Contains(err.Error(), "the same kind"), err)
	check("policy set add policies", client.PolicySets.AddPolicies(ctx, set.ID, tfe.PolicySetAddPoliciesOptions{Policies: []*tfe.Policy{policy}}))
	policy, err = client.Policies.Read(ctx, policy.ID)
	check("policy read", err)
	expect("policy in a set", policy.PolicySetCount == 1, policy)

	check("policy delete", client.Policies.Delete(ctx, policy.ID))
	check("other policy delete", client.Policies.Delete(ctx, old.ID))
	set, err = client.PolicySets.Read(ctx, set.ID)
	check("policy set read", err)
	expect("policy set without policies", set.PolicyCount == 0 && len(set.Policies) == 0, set)
	walkScope(ctx, client, org, set)
	check("policy set delete", client.PolicySets.Delete(ctx, set.ID))
	_, err = client.Policies.Read(ctx, policy.ID)
	expect("deleted policy", errors.Is(err, tfe.ErrResourceNotFound), err)
}

// What a policy set applies to, and what it excludes.
func walkScope(ctx context.Context, client *tfe.Client, org *tfe.Organization, set *tfe.PolicySet) {
	project, err := client.Projects.Create(ctx, org.Name, tfe.ProjectCreateOptions{Name: "held"})
	check("project create", err)
	expect("settings of the organization", project.DefaultExecutionMode == "remote" && !*project.SettingOverwrites.ExecutionMode, project)
	project, err = client.Projects.Update(ctx, project.ID, tfe.ProjectUpdateOptions{DefaultExecutionMode: tfe.String("local")})
	check("project update", err)
	expect("settings of the project", project.DefaultExecutionMode == "local" && *project.SettingOverwrites.ExecutionMode && project.DefaultAgentPool == nil, project)
	workspace, err := client.Workspaces.Create(ctx, org.Name, tfe.WorkspaceCreateOptions{Name: tfe.String("spared"), Project: project})
	check("workspace create in a project", err)
	projects, workspaces := []*tfe.Project{project}, []*tfe.Workspace{workspace}
	read := func() *tfe.PolicySet {
		found, err := client.PolicySets.ReadWithOptions(ctx, set.ID, &tfe.PolicySetReadOptions{
			Include: []tfe.PolicySetIncludeOpt{tfe.PolicySetProjects, tfe.PolicySetWorkspaceExclusions},
		})
		check("policy set read with its projects", err)
		return found
	}
	check("policy set add projects", client.PolicySets.AddProjects(ctx, set.ID, tfe.PolicySetAddProjectsOptions{Projects: projects}))
	check("policy set add workspace exclusions", client.PolicySets.AddWorkspaceExclusions(ctx, set.ID, tfe.PolicySetAddWorkspaceExclusionsOptions{WorkspaceExclusions: workspaces}))
	found := read()
	expect("projects of a policy set", found.ProjectCount == 1 && len(found.Projects) == 1 && found.Projects[0].Name == "held", found)
	expect("excluded workspaces", len(found.WorkspaceExclusions) == 1 && found.WorkspaceExclusions[0].Name == "spared", found)
	check("policy set remove projects", client.PolicySets.RemoveProjects(ctx, set.ID, tfe.PolicySetRemoveProjectsOptions{Projects: projects}))
	check("policy set remove workspace exclusions", client.PolicySets.RemoveWorkspaceExclusions(ctx, set.ID, tfe.PolicySetRemoveWorkspaceExclusionsOptions{WorkspaceExclusions: workspaces}))
	found = read()
	expect("policy set of nothing", found.ProjectCount+len(found.Projects)+len(found.WorkspaceExclusions) == 0, found)

	made, err := client.PolicySets.Create(ctx, org.Name, tfe.PolicySetCreateOptions{
		Name: tfe.String("of-a-project"), Kind: tfe.OPA, Projects: projects, WorkspaceExclusions: workspaces,
	})
	check("policy set create in projects", err)
	expect("policy set of a project", made.ProjectCount == 1 && made.Projects[0].ID == project.ID && made.WorkspaceExclusions[0].ID == workspace.ID, made)
	listed, err := client.PolicySets.List(ctx, org.Name, &tfe.PolicySetListOptions{
		Search: "of-a", Include: []tfe.PolicySetIncludeOpt{tfe.PolicySetProjects},
	})
	check("policy set list with projects", err)
	expect("listed projects", len(listed.Items) == 1 && listed.Items[0].Projects[0].Name == "held", listed)
	check("policy set of a project delete", client.PolicySets.Delete(ctx, made.ID))
	check("spared workspace delete", client.Workspaces.DeleteByID(ctx, workspace.ID))
	check("held project delete", client.Projects.Delete(ctx, project.ID))
}
