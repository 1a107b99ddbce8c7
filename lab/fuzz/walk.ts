import type { OpenApi } from '../../src/adapters/http/openapi/openapi.js';
import type { UnitOfWork } from '../../src/application/index.js';
import type { RunId, WorkspaceId } from '../../src/domain/index.js';
import { ended } from '../../tests/domain/specified-runs.js';
import { Description } from '../../tests/support/description.js';
import { leaksIn } from '../../tests/support/secrets-in-logs.js';
import { identifiersIn, Pool } from './pool.js';
import { type Answered, isDocument, lastIn, type Outgoing, Requests } from './requests.js';
import { type Service, startService } from './service.js';
import { Settler } from './settler.js';
import { mayFollow } from './states.js';

/** A request with a faulty response. */
export interface Finding {
  /** The seed that reproduces the walk. */
  readonly seed: number;
  readonly number: number;
  readonly what: string;
  readonly outgoing: Outgoing;
  readonly answer: string;
}

export interface Walked {
  readonly findings: readonly Finding[];
  /** The number of responses by operation and status. */
  readonly counts: ReadonlyMap<string, ReadonlyMap<number, number>>;
  readonly operations: readonly string[];
  /** The operations that never succeeded. */
  readonly unanswered: readonly string[];
  /** The requests sent, with the ids and secrets of their responses: enough to replay them on another service. */
  readonly history: readonly Sent[];
}

export interface Sent {
  readonly number: number;
  /** Undefined if the finding concerns a settled organization. */
  readonly outgoing?: Outgoing;
  readonly identifiers: readonly string[];
  readonly changed: boolean;
}

export interface WalkOptions {
  readonly seed: number;
  readonly requests: number;
  readonly rows: UnitOfWork;
  readonly environment?: Readonly<Record<string, string>>;
  /** The number of findings after which the walk ends. */
  readonly max?: number;
}

let described: { readonly text: string; readonly description: Description } | undefined;

/** Cached: compiling the description takes a second, and it is the same for every service. */
export function descriptionOf(openApi: OpenApi): Description {
  const text = JSON.stringify(openApi);
  if (described?.text !== text) described = { text, description: new Description(openApi) };
  return described.description;
}

/** Text that no response may contain. */
const internals =
  /\n\s+at .+:\d+|node_modules|SQLITE_|better-sqlite3|(?:relation|column) "\w+"|undefined method|\[object Object\]/;
/** Conflicts with a concurrent change; impossible here, since requests are sent one at a time. */
const elsewhere = /(?:changed|written) by another request|a concurrent change caused/;
/** The 503 of a state whose outputs the worker has not read yet. */
const outputsUnread = 'the outputs of this state are being read';
const secretText = /gatehouse\.v1\.[a-z2-9]{48}|whsec_[\w+/]{20,}/;

export function wrongWith(
  description: Description,
  { method, url, operation }: Outgoing,
  answer: Answered,
): string | undefined {
  const { status, headers, text } = answer;
  if (status >= 500 && !text.includes(outputsUnread)) return `${status} is a fault of the service`;
  if (status === 409 && elsewhere.test(text)) return 'it blames others, and there are none';
  if (headers['x-request-id'] === undefined) {
    // Node refuses a malformed HTTP request before it is handled.
    return status === 400 || status === 431 ? undefined : `${status} without an X-Request-Id`;
  }
  if (
    method !== 'HEAD' &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    status !== 204 &&
    status !== 304
  ) {
    return 'the response has no length';
  }
  if (!operation.startsWith('describeApi')) {
    if (internals.test(text)) return `it exposes the service's internals: ${internals.exec(text)?.[0]}`;
    if ((method === 'GET' || status >= 400) && secretText.test(text)) return 'it has a secret in it';
  }
  try {
    return description.undescribedIn(method, url, answer);
  } catch (error) {
    return `it cannot be read: ${error}`;
  }
}

/** Invariants of all stored rows. */
async function wrongInRows({ unitOfWork }: Service): Promise<readonly string[]> {
  const wrong: string[] = [];
  await unitOfWork.read(async (tx) => {
    for (const [id, status] of unitOfWork.runs) {
      const found = await tx.runs.find(id as RunId);
      if (found !== undefined && found.state.status !== status)
        wrong.push(`${id} is ${found.state.status}, and was left ${status}`);
    }
    for (const [id, status] of unitOfWork.versions) {
      const found = await tx.configurationVersions.find(id as never);
      if (found !== undefined && found.state.status !== status)
        wrong.push(`${id} is ${found.state.status}, and was left ${status}`);
      if (
        found !== undefined &&
        (found.state.bundle !== null) !== ['uploaded', 'backing_data_soft_deleted'].includes(found.state.status)
      ) {
        wrong.push(`${id} is ${found.state.status}, and its bundle is ${JSON.stringify(found.state.bundle)}`);
      }
    }
    for (const [id, status] of unitOfWork.runs) {
      if (!ended.includes(status)) continue;
      if (await tx.runArtifacts.find(id as RunId, 'plan-file')) wrong.push(`${id} is ${status}, and has a plan file`);
      if (await tx.stateVersions.pending(id as RunId)) wrong.push(`${id} is ${status}, and has a state announced`);
    }
    for (const [workspace, last] of unitOfWork.states) {
      if ((await tx.workspaces.find(workspace as WorkspaceId)) === undefined) continue;
      const current = await tx.stateVersions.current(workspace as WorkspaceId);
      const { items } = await tx.stateVersions.page(workspace as WorkspaceId, { number: 1, size: 100 });
      if (current?.id !== last || items[0]?.id !== last)
        wrong.push(`the state of ${workspace} is ${current?.id}, its newest ${items[0]?.id}, and was left ${last}`);
      for (const [index, { id, serial, lineage, status, bundle, forced, rollbackOf }] of items.entries()) {
        const { [index + 1]: older = { serial: -1, lineage } } = items;
        const follows = mayFollow({ serial, lineage }, older);
        if (!(follows || forced || rollbackOf !== null) || status !== 'finalized' || bundle === null)
          wrong.push(`${id} does not follow the state before it`);
      }
    }
    const organizations = await tx.organizations.pageOfAll({ number: 1, size: 100 });
    for (const { id, name } of organizations.items) {
      const sort = { key: 'team-name', descending: false } as const;
      const query = { organizationId: id, visibility: 'all', search: undefined, sort } as const;
      const { items } = await tx.tokens.pageOfTeams(query, { number: 1, size: 100 });
      const teams = items.map(({ owner }) => owner.id);
      if (new Set(teams).size < teams.length) wrong.push(`a team of ${name} has several tokens`);
    }
  });
  return wrong;
}

/** The parts of a response that must be equal for a hidden and a missing resource. */
const indistinct = ({ status, headers, text }: Answered): string => {
  const passing = new Set(['x-request-id', 'date', 'x-ratelimit-remaining', 'x-ratelimit-reset']);
  const others = Object.entries(headers).filter(([name]) => !passing.has(name));
  return JSON.stringify({ status, others, text });
};

export const everySoManyRequests = { settling: 150, goingOn: 15, tidying: 400, rows: 1_000 };

/** Sends `requests` requests to a service of its own, and checks every response. */
export async function walk({ seed, requests, rows, environment, max = 5 }: WalkOptions): Promise<Walked> {
  const service = await startService(seed, rows, environment);
  const description = descriptionOf(service.openApi);
  const pool = new Pool();
  const findings: Finding[] = [];
  const counts = new Map<string, Map<number, number>>();
  const history: Sent[] = [];
  const secrets = new Set<string>();
  try {
    const settler = new Settler(service, pool);
    const outsider = await settler.user('outsider');
    pool.forget(outsider.id, outsider.token, 'outsider@example.com', service.admin.id, 'admin@example.com');
    pool.add('secret admin', service.admin.secret);
    pool.drop('secret user', outsider.secret);
    pool.add('secret outsider', outsider.secret);
    const made = new Requests(service.openApi, pool);
    for (let number = 1; number <= requests && findings.length < max; number += 1) {
      if (number % everySoManyRequests.settling === 1) {
        const told = await settler.organization(`settled-${number}`);
        history.push({ number, identifiers: told, changed: true });
      }
      const outgoing = made.make(seed, number);
      const found = (what: string, answer?: Answered) => {
        const told = answer === undefined ? '' : `${answer.status} ${answer.text.slice(0, 2_000)}`;
        findings.push({ seed, number, what, outgoing, answer: told });
      };
      let answer: Answered;
      try {
        answer = await service.send(outgoing);
      } catch (error) {
        found(String(error));
        continue;
      }
      const wrong = wrongWith(description, outgoing, answer);
      if (wrong !== undefined) found(wrong, answer);
      const ofOperation = counts.get(outgoing.operation) ?? new Map<number, number>();
      counts.set(outgoing.operation, ofOperation);
      ofOperation.set(answer.status, (ofOperation.get(answer.status) ?? 0) + 1);
      if (outgoing.twin !== undefined && answer.status !== 429) {
        const twin = await service.send({ ...outgoing, url: outgoing.twin });
        if (twin.status !== 429 && indistinct(twin) !== indistinct(answer))
          found(`what is missing is answered ${twin.status} ${twin.text}`, answer);
      }
      if (answer.status < 300 && outgoing.caller !== 'outsider' && !passedOver.test(outgoing.operation)) {
        pool.learn(
          outgoing.operation.replace(/V2$/, ''),
          outgoing.url,
          outgoing.body?.toString() ?? '',
          secretOf(outgoing),
          isDocument(outgoing, answer) ? answer.text : '',
          answer.headers.location,
        );
      } else if (answer.status === 302)
        pool.add('downloads', String(answer.headers.location).replace(/^https?:\/\/[^/]+/, ''));
      if (answer.status === 401 && made.takesTokenOf(outgoing)) pool.gone(secretOf(outgoing));
      if (answer.status === 409) pool.refused(outgoing.url, answer.text, outgoing.headers.Lease);
      if (answer.status === 204 && outgoing.method === 'DELETE') pool.gone(lastIn(outgoing.url));
      made.record(outgoing, answer);
      const told = identifiersIn(answer.text);
      for (const one of told) if (secretText.test(one)) secrets.add(one);
      history.push({ number, outgoing, identifiers: told, changed: outgoing.method !== 'GET' && answer.status < 300 });
      if (number % everySoManyRequests.goingOn === 0) {
        for (const what of await service.goOn(number % 4 === 0 ? 40 : 2)) found(what);
        for (const { result, token } of service.runTasks.calls.splice(0)) pool.called(result.id, token);
      }
      if (number % everySoManyRequests.tidying === 0) {
        for (const what of await service.goOn(8 * 86_400)) found(what);
        await service.tidy();
      }
      if (number % everySoManyRequests.rows === 0 || number === requests) {
        for (const what of await wrongInRows(service)) found(what);
      }
      for (const what of [...service.unitOfWork.wrong.splice(0), ...made.wrong.splice(0)]) found(what, answer);
      for (const what of service.errors.splice(0)) found(`it was logged: ${what}`, answer);
    }
    for (const leak of leaksIn(service.lines.join('\n'), secrets).slice(0, 1)) {
      const { outgoing } = history.at(-1) ?? {};
      if (outgoing !== undefined) {
        findings.push({ seed, number: requests, what: `the log holds a secret: ${leak}`, outgoing, answer: '' });
      }
    }
    const { operations, unanswered } = made;
    return { findings, counts, operations, unanswered, history };
  } finally {
    await service.stop();
  }
}

/** Operations that answer lines, examples, or events with the names of what was asked for. */
const passedOver = /^describeApi|^export|^list(?:Site)?Audit/;

const secretOf = ({ headers }: Outgoing): string => String(headers.Authorization ?? '').replace('Bearer ', '');

/** The finding as text, with the command that reproduces it. */
export const textOfFinding = ({ seed, number, what, outgoing, answer }: Finding): string =>
  `npm run fuzz -- --seed ${seed} --requests ${number}: ${what}\n  ${curlOf(outgoing)}\n  ${answer}`;

/** The request as a curl command, with the port of a running service. */
export function curlOf({ method, url, headers, body }: Outgoing): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const said = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one) => `-H ${quoted(`${name}: ${one}`)}`),
  );
  const text = body?.toString() ?? '';
  const sent =
    body === undefined
      ? []
      : Buffer.from(text).equals(body) && text.length < 4_000 && !text.includes('\0')
        ? [`--data-binary ${quoted(text)}`]
        : [`--data-binary @<(echo ${body.subarray(0, 3_000).toString('base64')} | base64 -d)`];
  return ['curl -g --path-as-is', `-X ${method}`, ...said, ...sent, quoted(`http://127.0.0.1:8080${url}`)].join(' ');
}
