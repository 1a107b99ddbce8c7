import type { FixedLevel } from '../../src/domain/index.js';
import { type Caller, doc, newName, type TestApi } from './api.js';
import { archiveOf } from './archives.js';
import { giveGrant } from './builders.js';
import { into, type Job, ReferenceAgent } from './reference-agent.js';

const to = (type: string, id: string) => ({ data: { type, id } });

/** The relationships of a request for a run. Without a version it is the workspace's current one. */
export const runOf = (workspaceId: string, versionId?: string) => ({
  workspace: to('workspaces', workspaceId),
  ...(versionId === undefined ? {} : { 'configuration-version': to('configuration-version', versionId) }),
});

/** A workspace in an organization of its own, with an agent, and common test steps. */
export class Bench {
  private constructor(
    readonly api: TestApi,
    readonly organization: string,
    readonly workspaceId: string,
    readonly poolId: string,
    readonly agent: ReferenceAgent,
    readonly bundle: Buffer,
  ) {}

  static async make(api: TestApi, settings: object = {}): Promise<Bench> {
    const organization = newName('org');
    await api.organization(organization);
    const body = doc('workspaces', { name: newName('workspace'), ...settings });
    const workspace = await api.admin.post(`/organizations/${organization}/workspaces`, body).expect(201);
    const pool = await api.admin
      .post(`/organizations/${organization}/agent-pools`, doc('agent-pools', { name: newName('pool') }))
      .expect(201);
    const poolId: string = pool.body.data.id;
    const agent = await agentOf(api, poolId);
    await takeByDefault(api, organization, poolId);
    const bundle = await archiveOf({ 'main.tf': `# ${organization}` });
    return new Bench(api, organization, workspace.body.data.id, poolId, agent, bundle);
  }

  /** An uploaded version of the workspace, which queues no run by default. */
  async version(attributes: object = {}, workspaceId = this.workspaceId): Promise<string> {
    const { id, uploadUrl } = await this.api.version(workspaceId, { 'auto-queue-runs': false, ...attributes });
    await this.api.upload(uploadUrl, this.bundle).expect(200);
    return id;
  }

  /** A run by the administrator, who may apply. */
  async run(attributes: object = {}, versionId?: string): Promise<string> {
    const body = doc('runs', attributes, runOf(this.workspaceId, versionId));
    return (await this.api.admin.post('/runs', body).expect(201)).body.data.id;
  }

  async claimed(runId: string): Promise<Job> {
    const job = await this.agent.claimed();
    if (job.runId !== runId) throw new Error(`the agent was given ${job.runId} and not ${runId}`);
    return job;
  }

  /** Plans a queued run and reports its policies. */
  async planned(runId: string, judge: 'passed' | 'failed' | 'errored' = 'passed'): Promise<void> {
    const job = await this.claimed(runId);
    const said = await job.planned();
    if (said.status !== 200) throw new Error(`planning answered ${said.status}`);
    await job.judgeAll(() => judge);
  }

  async act(runId: string, action: 'apply' | 'discard' | 'cancel', status = 202): Promise<void> {
    await this.api.admin.post(`/runs/${runId}/actions/${action}`).expect(status);
  }

  /** From pending to applied. */
  async applied(runId: string): Promise<void> {
    await this.planned(runId);
    await this.act(runId, 'apply');
    await (await this.claimed(runId)).applied();
  }

  async shown(runId: string) {
    return (await this.api.admin.get(`/runs/${runId}`).expect(200)).body.data;
  }

  async statusOf(runId: string): Promise<string> {
    return (await this.shown(runId)).attributes.status;
  }

  /** The workspace's runs, newest first. */
  async runs(): Promise<{ id: string; attributes: { status: string; [name: string]: unknown } }[]> {
    return (await this.api.admin.get(`/workspaces/${this.workspaceId}/runs?page[size]=100`).expect(200)).body.data;
  }

  async versionStatus(id: string): Promise<string> {
    return (await this.api.admin.get(`/configuration-versions/${id}`).expect(200)).body.data.attributes.status;
  }

  /** A member whose only team has this level on the workspace, or none at all. */
  async member(access?: FixedLevel, rights: object = {}): Promise<Caller> {
    const team = await this.api.team(this.organization, newName('team'), rights);
    if (access !== undefined) await this.api.unitOfWork.run((tx) => giveGrant(tx, team, this.workspaceId, { access }));
    return this.api.member(this.organization, newName('member'), [team]);
  }

  async policySet(attributes: object = {}): Promise<string> {
    const path = `/organizations/${this.organization}/policy-sets`;
    const body = doc('policy-sets', { name: newName('set'), kind: 'opa', global: true, ...attributes });
    return (await this.api.admin.post(path, body).expect(201)).body.data.id;
  }
}

/** Workspaces that follow the organization are served by the pool from now on. */
export const takeByDefault = async (api: TestApi, organization: string, poolId: string): Promise<void> => {
  const relationships = { 'default-agent-pool': { data: { id: poolId, type: 'agent-pools' } } };
  const body = doc('organizations', { 'default-execution-mode': 'agent' }, relationships);
  await api.admin.patch(`/organizations/${organization}`, body).expect(200);
};

export async function agentOf(api: TestApi, poolId: string, name?: string): Promise<ReferenceAgent> {
  const token = await api.admin.post(`/agent-pools/${poolId}/authentication-tokens`).expect(201);
  return new ReferenceAgent(into(api.server), token.body.data.attributes.token, name);
}
