import { idPrefixes } from '../../src/domain/index.js';
import { stateBytes } from './states.js';

// biome-ignore lint/suspicious/noExplicitAny: documents are read member by member in tests.
type Json = any;

/** A run in an agent's hands. */
export interface HeldRun {
  readonly id: string;
  readonly lease: string;
  readonly agent: string;
  readonly phase: 'plan' | 'apply';
  readonly evaluations: Json[];
  /** The digests of its policies' code. */
  readonly codes: readonly string[];
  /** The versions of its policy sets whose archives it reads. */
  readonly archives: readonly string[];
  readonly state: Json;
  readonly planFile: Json;
  /** The id of the URL below which other workspaces share their states with the run. */
  readonly sharedStates: string;
}

/** The statuses that a run needs for each step. */
const runsThatMay = {
  apply: ['planned', 'post_plan_completed', 'planned_and_saved'],
  decide: ['post_plan_awaiting_decision'],
} as const;

export const otherNames: Readonly<Record<string, string>> = {
  'configuration-version': 'configuration-versions',
  'team-tokens': 'authentication-tokens',
};

/** The identifiers in responses: ids, secrets, and URLs that are both. */
const telling = new RegExp(
  [
    `\\b(?:plan|apply|${Object.values(idPrefixes).join('|')})-[A-Za-z0-9]{16}\\b`,
    'gatehouse\\.v1\\.\\w{48}',
    'whsec_[\\w+/]{20,}=*',
    '/v1/(?:object|state|policies|shared-states|log)/[\\w.-]+',
  ].join('|'),
  'g',
);

export const identifiersIn = (answer: string): readonly string[] =>
  answer.length > 200_000 ? [] : [...new Set(answer.match(telling) ?? [])];

/** The path of a collection without the ids in it. */
export const collectionOf = (path: string): string =>
  path.replace(/^\/organizations\/[^/]+/, '/organizations').replaceAll(/\/(?:\{\w+\}|[a-z]+-\w{16}(?=\/|$))/g, '');

const kept = 40;

/** The ids of objects that belong to one workspace, and are not shared with others. */
const ofOneWorkspace = /^(?:ws|tws|drp|cv|ia|run|wsc|plan|apply|sv|wsout|ts|poleval|psout)-/;

/** The location of an object, as far as responses have shown it. */
interface Home {
  readonly organization?: string | undefined;
  readonly workspace?: string | undefined;
}

/** The objects that responses have shown, by kind: requests refer to objects that exist or existed. */
export class Pool {
  private readonly things = new Map<string, string[]>();
  held: readonly HeldRun[] = [];
  /** The callback tokens of the results that run tasks were asked for. */
  readonly callbacks = new Map<string, string>();
  /** The runs of stories, which other requests mostly leave alone. */
  readonly reserved = new Set<string>();
  readonly hooks = new Map<string, string>();
  /** The state that each run announced last. */
  readonly announced = new Map<string, { readonly id: string; readonly bytes: Buffer }>();
  private readonly homes = new Map<string, Home>();
  /** The object in whose collection each object was shown last. */
  private readonly owners = new Map<string, string>();
  private here: Home = {};

  private readonly forgotten = new Set<string>();

  /** Excludes objects from all further requests. */
  forget(...names: readonly string[]): void {
    for (const name of names) {
      this.forgotten.add(name);
      for (const kind of this.things.keys()) this.drop(kind, name);
    }
  }

  /** Marks an object as deleted or refused: requests still name it now and then. */
  gone(name: string): void {
    const kinds = [...this.things.keys()].filter((kind) => this.things.get(kind)?.includes(name));
    for (const kind of kinds) {
      this.drop(kind, name);
      this.add(kind.startsWith('secret') ? 'secret spent' : 'gone', name);
    }
    this.held = this.held.filter(({ lease, agent }) => lease !== name && agent !== name);
  }

  /** Drops the objects that were not ready for the request, or no longer are. */
  refused(url: string, answer: string, lease: unknown): void {
    if (answer.includes('lease')) this.held = this.held.filter((run) => run.lease !== lease);
    for (const kind of [...this.things.keys()].filter((name) => name.includes(' to '))) {
      for (const name of this.things.get(kind) ?? []) if (url.includes(name)) this.drop(kind, name);
    }
  }

  drop(kind: string, name: string): void {
    this.things.set(
      kind,
      (this.things.get(kind) ?? []).filter((other) => other !== name),
    );
  }

  add(kind: string, name: unknown): void {
    if (typeof name !== 'string' || name === '' || this.forgotten.has(name)) return;
    const list = this.things.get(kind) ?? [];
    this.things.set(kind, list);
    const at = list.indexOf(name);
    if (at >= 0) list.splice(at, 1);
    list.push(name);
    if (list.length > kept) list.splice(Math.floor(kept / 2), 1);
  }

  /** The object whose collection has this one: what a path names before it. */
  ownerOf(name: string): string | undefined {
    return this.owners.get(name);
  }

  /** Has most of what is picked from now on be of one organization, and of one workspace there. */
  focus(choice: number): void {
    this.here = {};
    this.here = { organization: this.pick('organizations', choice) };
    this.here = { ...this.here, workspace: this.pick('workspaces', choice) };
  }

  /** The latest more often than others, and what is here more often than what is elsewhere. */
  pick(kind: string, choice: number): string | undefined {
    const list = this.things.get(kind) ?? [];
    const near = choice % 11 === 0 ? [] : list.filter((name) => this.isHere(name));
    const all = near.length > 0 ? near : list;
    const among = choice % 3 === 0 ? all : all.slice(-3);
    return among[Math.floor(choice / 3) % Math.max(among.length, 1)];
  }

  private isHere(name: string): boolean {
    const { organization, workspace } = this.homes.get(name) ?? {};
    return [
      [organization, this.here.organization],
      [workspace, this.here.workspace],
    ].every(([its, here]) => its === undefined || here === undefined || its === here);
  }

  /** An id of any kind. */
  any(choice: number): string | undefined {
    const kinds = [...this.things.keys()].filter((kind) => !kind.startsWith('secret'));
    return this.pick(kinds[choice % Math.max(kinds.length, 1)] ?? '', Math.floor(choice / 7));
  }

  /** Records the call of a run task. */
  called(result: string, token: string): void {
    this.add('called', result);
    this.callbacks.set(result, token);
  }

  /** `asked` is the URL, `said` the body, `caller` who was answered. */
  learn(operation: string, asked: string, said: string, caller: string, answer: string, location: unknown): void {
    if (typeof location === 'string') this.add('downloads', pathIn(location));
    // Lines of JSON are a report, which names nothing that is not listed elsewhere.
    if (answer.length > 200_000 || !answer.startsWith('{') || answer.includes('}\n{')) return;
    this.settle(asked, said, answer);
    const json: Json = JSON.parse(answer);
    this.walk(json);
    this.collect(asked, json.data);
    for (const url of identifiersIn(answer)) if (url.startsWith('/v1/')) this.add(url.split('/', 3).join('/'), url);
    const secret = json.data?.attributes?.token ?? json.included?.[0]?.attributes?.token;
    const owner = /^issue(Team|Organization|User|Agent)Token/.exec(operation)?.[1];
    if (owner !== undefined) this.add(`secret ${owner.toLowerCase()}`, secret);
    if (operation === 'claimRun' && json.run !== undefined) this.hold(json, caller);
    const [, reported] = /^\/agent\/v1\/runs\/([\w-]+)\//.exec(asked) ?? [];
    if (reported === undefined) return;
    this.note(reported, json.run?.status);
    if (operation !== 'announceState') return;
    this.add('announced', json.id);
    this.announced.set(reported, { id: json.id, bytes: stateBytes(JSON.parse(said)) });
  }

  /** Records the objects in a response as located where the requested object is. */
  private settle(asked: string, said: string, answer: string): void {
    const about = [...identifiersIn(asked), ...identifiersIn(said)];
    const known = <Part extends keyof Home>(part: Part) =>
      about.map((name) => this.homes.get(name)?.[part]).find((one) => one !== undefined);
    const organization = /^(?:\/api\/v2)?\/organizations\/([\w-]+)/.exec(asked)?.[1] ?? known('organization');
    if (organization === undefined) return;
    const told = identifiersIn(answer);
    const workspace = [...about, ...told].find((name) => name.startsWith('ws-')) ?? known('workspace');
    for (const name of told) {
      const its = name.startsWith('ws-') ? name : ofOneWorkspace.test(name) ? workspace : undefined;
      if (!this.homes.has(name)) this.homes.set(name, { organization, workspace: its });
    }
    if (!this.homes.has(organization)) this.homes.set(organization, { organization });
  }

  /** Records the objects in a response by the path of their collection, and whose collection that is. */
  private collect(asked: string, data: Json): void {
    const path = asked.replace(/^\/api\/v2|\/?(?:\?.*)?$/g, '');
    const owners = identifiersIn(path);
    for (const { id } of [data ?? []].flat()) {
      this.add(`in ${collectionOf(path)}`, id);
      const owner = owners.findLast((name) => name !== id);
      if (owner !== undefined) this.owners.set(id, owner);
    }
  }

  private walk(value: Json): void {
    if (typeof value !== 'object' || value === null) return;
    const { id, type, attributes } = value;
    if (typeof id === 'string' && typeof type === 'string') {
      const kind = otherNames[type] ?? type;
      this.add(kind, id);
      if (kind === 'workspaces') {
        this.add('workspace names', attributes?.name);
        const home = this.homes.get(id) ?? {};
        this.homes.set(attributes?.name, home);
        if (home.organization !== undefined) this.owners.set(attributes?.name, home.organization);
      }
      if (kind === 'users') this.add('emails', attributes?.email);
      if (kind === 'runs') this.note(id, attributes?.status);
      if (kind === 'task-stages' && attributes?.status === 'awaiting_override') this.add('task-stages to override', id);
      if (kind === 'runs') for (const phase of ['plan', 'apply']) this.add(phase, id.replace('run', phase));
      this.add('uploads', pathIn(attributes?.['upload-url']));
      const linked = attributes?.['vcs-repo'];
      if (typeof linked?.['webhook-key'] === 'string') this.hooks.set(linked['webhook-url'], linked['webhook-key']);
    }
    for (const member of Object.values(value)) this.walk(member);
  }

  private hold(job: Json, agent: string): void {
    const { lease, run, phase, state, 'plan-file': planFile, 'policy-evaluations': evaluations } = job;
    const sharedStates = job['shared-states-url'].replace(/^.*\//, '');
    const sets = evaluations.flatMap((evaluation: Json) => evaluation['policy-sets']);
    const codes: string[] = sets
      .flatMap(({ policies }: Json) => policies)
      .flatMap(({ code }: Json) => code?.sha256 ?? []);
    const archives: string[] = sets.flatMap(({ archive }: Json) => archive?.id ?? []);
    const held = {
      id: run.id,
      lease: lease.token,
      agent,
      phase,
      evaluations,
      codes,
      archives,
      state,
      planFile,
      sharedStates,
    };
    this.held = [...this.held, held].slice(-12);
    for (const { id } of evaluations) this.add('policy-evaluations', id);
    for (const code of codes) this.add('codes', code);
  }

  private note(run: string, status: unknown): void {
    for (const [next, statuses] of Object.entries(runsThatMay)) {
      const may = (statuses as readonly unknown[]).includes(status) && !this.reserved.has(run);
      if (may) this.add(`runs to ${next}`, run);
    }
  }
}

const pathIn = (url: unknown): string | undefined =>
  typeof url === 'string' ? url.replace(/^https?:\/\/[^/]+/, '') : undefined;
