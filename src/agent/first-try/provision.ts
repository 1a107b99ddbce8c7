import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { FirstTryError } from './first-try-error.js';
import type { LocalService } from './local-service.js';

const name = 'first-try';
export const organization = 'demo';

const identified = z.object({ data: z.object({ id: z.string() }) });
const named = z.object({
  data: z.array(z.object({ id: z.string(), attributes: z.object({ name: z.string() }) })),
});
const agentToken = z.object({ data: z.object({ attributes: z.object({ token: z.string() }) }) });
const commandToken = z.object({ token: z.string() });
const addedUser = z.object({ 'authentication-token': z.object({ token: z.string() }) });

/**
 * Creates the resources a first plan needs, unless an earlier try did. Returns the tokens, which are stored in `place`.
 */
export async function provision(service: LocalService, place: string, policies: string | undefined) {
  const userTokenFile = join(place, 'user-token');
  const userToken = await kept(
    userTokenFile,
    (token) => answers(service, token),
    () => newUser(service),
  );
  const api = caller(service.url, userToken);
  const organizations = `/organizations/${organization}`;
  if ((await api('GET', organizations)).status === 404) {
    const made = await api('POST', '/organizations', document('organizations', { name: organization, email }));
    if (made.status !== 201) {
      throw new FirstTryError(
        `the organization ${organization} already exists and belongs to another user: set DATA_DIR to another directory`,
      );
    }
  }
  const agent = await kept(
    join(place, 'site-agent-token'),
    (token) => agentAnswers(service, token),
    async () => {
      // A site pool, so that it also serves organizations created later.
      const pools = '/admin/agent-pools';
      const pool = (await idOf(api, pools)) ?? (await made(api, pools, document('agent-pools', { name })));
      const path = `${pools}/${pool}/authentication-tokens`;
      const issued = await api('POST', path, document('authentication-tokens', { description: 'a first try' }));
      return agentToken.parse(issued.json).data.attributes.token;
    },
  );
  if (policies !== undefined && (await idOf(api, `${organizations}/policy-sets`)) === undefined) {
    await makePolicySet(api, organizations, policies);
  }
  return { userToken, userTokenFile, agentToken: agent };
}

const email = `${name}@example.com`;

type Api = (
  method: string,
  path: string,
  body?: object | string,
) => Promise<{ readonly status: number; readonly json: unknown }>;

const caller =
  (url: string, token: string): Api =>
  async (method, path, body) => {
    const code = typeof body === 'string';
    const response = await fetch(`${url}/api/v2${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': code ? 'application/octet-stream' : 'application/vnd.api+json',
      },
      ...(body === undefined ? {} : { body: code ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
  };

const document = (type: string, attributes: object, relationships?: object) => ({
  data: { type, attributes, ...(relationships && { relationships }) },
});

async function made(api: Api, path: string, body: object): Promise<string> {
  const { status, json } = await api('POST', path, body);
  if (status !== 201) throw new FirstTryError(`the service refused ${path}: ${JSON.stringify(json)}`);
  return identified.parse(json).data.id;
}

/** The id of a resource that an earlier try created. */
const idOf = async (api: Api, path: string): Promise<string | undefined> =>
  named.parse((await api('GET', `${path}?page[size]=100`)).json).data.find(({ attributes }) => attributes.name === name)
    ?.id;

/** Reads a secret from its file if it is still valid, otherwise creates a new one that only this user may read. */
async function kept(file: string, good: (secret: string) => Promise<boolean>, make: () => Promise<string>) {
  const known = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (known !== '' && (await good(known))) return known;
  const secret = await make();
  await writeFile(`${file}.new`, `${secret}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return secret;
}

const answers = async (service: LocalService, token: string): Promise<boolean> =>
  (await caller(service.url, token)('GET', '/account/details')).status === 200;

/** A valid token gets the error for an unknown lease; an invalid one is unauthorized. */
const agentAnswers = async (service: LocalService, token: string): Promise<boolean> => {
  const headers = { Authorization: `Bearer ${token}`, Lease: 'none' };
  const response = await fetch(`${service.url}/agent/v1/runs/run-none/heartbeat`, { method: 'POST', headers });
  return response.status === 409;
};

/** A separate user for the try, so that it needs no existing token, on an existing service either. */
const newUser = async (service: LocalService): Promise<string> =>
  service.command('token', 'issue', '--user', name, '--description', 'a first try').then(
    (answer) => commandToken.parse(answer).token,
    async () =>
      addedUser.parse(await service.command('user', 'add', name, '--email', email, '--site-administrator'))[
        'authentication-token'
      ].token,
  );

/** Every `.rego` file becomes a policy with the level on its first line: `# mandatory: description`. */
async function makePolicySet(api: Api, organizations: string, folder: string): Promise<void> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.rego')).sort();
  const ids: string[] = [];
  for (const file of files) {
    const code = await readFile(join(folder, file), 'utf8');
    const [, level = 'advisory', description = ''] = /^# (advisory|mandatory): (.*)$/m.exec(code) ?? [];
    const query = `data.${/^package (\S+)$/m.exec(code)?.[1]}.deny`;
    const attributes = { name: basename(file, '.rego'), kind: 'opa', description, query, 'enforcement-level': level };
    const id = await made(api, `${organizations}/policies`, document('policies', attributes));
    await api('PUT', `/policies/${id}/upload`, code);
    ids.push(id);
  }
  const relationships = { policies: { data: ids.map((id) => ({ type: 'policies', id })) } };
  const attributes = { name, kind: 'opa', global: true, overridable: true };
  await made(api, `${organizations}/policy-sets`, document('policy-sets', attributes, relationships));
}
