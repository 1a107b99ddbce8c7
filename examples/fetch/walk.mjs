// Walks the service with Node's own fetch, without packages: streams an upload while it is packed, reads lists page by
// page, handles refusals.
// Usage: TOKEN=<a site administrator's token> node walk.mjs [name of a new organization]
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const address = process.env.GATEHOUSE ?? 'http://127.0.0.1:8080';
const organization = process.argv[2] ?? `fetch-${process.pid}`;
const configuration = fileURLToPath(new URL('../configuration', import.meta.url));

/** A refusal of the service: its status, and a sentence for each error. */
class Refusal extends Error {
  constructor(status, errors) {
    super(errors.map(({ title, detail }) => detail ?? title).join('; '));
    this.status = status;
  }
}

const client = (token) =>
  async function send(method, path, document) {
    const response = await fetch(new URL(path, address), {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/vnd.api+json' },
      body: document && JSON.stringify({ data: document }),
    });
    if (response.status === 429) {
      await pause(1000 * Number(response.headers.get('retry-after')));
      return send(method, path, document);
    }
    const text = await response.text();
    const json = text && JSON.parse(text);
    if (!response.ok) throw new Refusal(response.status, json.errors);
    return json;
  };

/** Every item of a list, page by page. */
async function* items(send, path) {
  for (let next = path; next; ) {
    const page = await send('GET', next);
    yield* page.data;
    next = page.links.next;
  }
}

/** Streams the archive while tar packs it. The URL is itself the right to upload: it gets no token. */
async function upload(url, folder) {
  const sha256 = createHash('sha256');
  const packed = spawn('tar', ['-czf', '-', '-C', folder, '.'], { stdio: ['ignore', 'pipe', 'inherit'] }).stdout;
  packed.on('data', (bytes) => sha256.update(bytes));
  const { status } = await fetch(url, { method: 'PUT', body: Readable.toWeb(packed), duplex: 'half' });
  if (status !== 200) throw new Error(`the upload answered ${status}`);
  return sha256.digest('hex');
}

const admin = client(process.env.TOKEN);
const named = (type, name, more) => ({ type, attributes: { name, ...more } });
await admin('POST', '/organizations', named('organizations', organization, { email: 'ops@example.com' }));
const { data: workspace } = await admin(
  'POST',
  `/organizations/${organization}/workspaces`,
  named('workspaces', 'network'),
);
const { data: team } = await admin('POST', `/organizations/${organization}/teams`, named('teams', 'platform'));
console.log(`organization ${organization}: workspace ${workspace.id}, team ${team.id}`);

const versions = `/workspaces/${workspace.id}/configuration-versions`;
const draft = { type: 'configuration-version', attributes: { 'auto-queue-runs': false } };
const { data: version } = await admin('POST', versions, draft);
const sent = await upload(version.attributes['upload-url'], configuration);
const { data: uploaded } = await admin('GET', `/configuration-versions/${version.id}`);
console.log(`version ${version.id}: ${uploaded.attributes.status}`);

const download = await fetch(new URL(`/configuration-versions/${version.id}/download`, address), {
  headers: { Authorization: `Bearer ${process.env.TOKEN}` },
});
const back = createHash('sha256').update(new Uint8Array(await download.arrayBuffer()));
console.log(back.digest('hex') === sent ? 'the same bytes came back' : 'OTHER BYTES came back');

const refused = await admin('POST', `/configuration-versions/${version.id}/actions/archive`).catch((error) => error);
console.log(`archive: ${refused.status}: ${refused.message}`);

const { data: token } = await admin('POST', `/teams/${team.id}/authentication-token`, { type: 'authentication-token' });
const asTeam = client(token.attributes.token);
const hidden = await asTeam('POST', versions, draft).catch((error) => error);
console.log(`as the team, without access: ${hidden.status}`);
await admin('POST', '/team-workspaces', {
  type: 'team-workspaces',
  attributes: { access: 'plan' },
  relationships: {
    workspace: { data: { type: 'workspaces', id: workspace.id } },
    team: { data: { type: 'teams', id: team.id } },
  },
});
await asTeam('POST', versions, draft);
await asTeam('POST', versions, draft);

const listed = await Array.fromAsync(items(asTeam, `${versions}?page[size]=2`));
console.log(`as the team, with plan access: ${listed.length} versions on 2 pages`);

await admin('DELETE', `/organizations/${organization}`);
console.log(`organization ${organization} is deleted`);
