import type { RunTaskCall } from '../../application/index.js';

/** The body of a call, as clients of this API family read it. */
export function payloadOf(call: RunTaskCall, publicUrl: string): object {
  const { result, run, workspace, commit } = call;
  const callback = `${publicUrl}/api/v2/task-results/${result.id}/callback`;
  const files = `${publicUrl}/v1/task-results/${result.id}`;
  const workspaceUrl = `${publicUrl}/app/${workspace.organizationName}/${workspace.name}`;
  return {
    payload_version: 1,
    stage: result.stage,
    access_token: call.token,
    capabilities: { outcomes: true },
    configuration_version_download_url: `${files}/configuration`,
    configuration_version_id: run.configurationVersionId,
    is_speculative: run.planOnly,
    organization_name: workspace.organizationName,
    // Before the plan, and without one that is shown, there is nothing to read.
    ...(call.hasPlan && { plan_json_api_url: `${files}/plan-json` }),
    run_app_url: `${workspaceUrl}/runs/${run.id}`,
    run_created_at: run.createdAt,
    run_created_by: call.createdBy,
    run_id: run.id,
    run_message: run.options.message,
    task_result_callback_url: callback,
    task_result_enforcement_level: result.enforcementLevel,
    task_result_id: result.id,
    vcs_branch: commit?.branch ?? null,
    vcs_commit_url: commit?.commitUrl ?? null,
    vcs_pull_request_url: commit?.pullRequestUrl ?? null,
    vcs_repo_url: commit?.cloneUrl ?? null,
    workspace_app_url: workspaceUrl,
    workspace_id: workspace.id,
    workspace_name: workspace.name,
    workspace_working_directory: workspace.workingDirectory,
  };
}
