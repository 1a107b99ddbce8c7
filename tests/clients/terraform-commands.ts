import { hostname, type Workplace } from '../support/terraform-cli.js';

const settings = (organization: string, workspaces: string): string =>
  `    hostname     = "${hostname}"\n    organization = "${organization}"\n    workspaces {\n      ${workspaces}\n    }\n`;

/** A way to configure where the CLI keeps its state and executes its runs. */
export interface Way {
  readonly name: string;
  readonly execution: 'agent' | 'local';
  /** The block inside `terraform`, for a workspace of this name or beginning. */
  readonly block: (organization: string, workspace: string) => string;
  /** Whether the CLI creates, selects and deletes workspaces. */
  readonly manyWorkspaces: boolean;
  /** The CLI selects workspaces by these tags, in an organization of their own, and their names have no prefix. */
  readonly tags?: object;
  /** The project of the workspaces. One elsewhere that has the tags is to stay hidden. */
  readonly project?: string;
  /** Absent for both programs. */
  readonly only?: 'terraform';
}

const cloud = (organization: string, workspace: string): string =>
  `  cloud {\n${settings(organization, `name = "${workspace}"`)}  }\n`;

const tagged =
  (tags: string) =>
  (organization: string): string =>
    `  cloud {\n${settings(organization, `tags = ${tags}`)}  }\n`;

const inProject =
  (project: string, tag: string) =>
  (organization: string): string =>
    `  cloud {\n${settings(organization, `project = "${project}"\n      tags = ["${tag}"]`)}  }\n`;

const remote = (organization: string, workspaces: string): string =>
  `  backend "remote" {\n${settings(organization, workspaces)}  }\n`;

export const ways: readonly Way[] = [
  { name: '`cloud`, runs by agents', execution: 'agent', block: cloud, manyWorkspaces: false },
  { name: '`cloud`, local runs', execution: 'local', block: cloud, manyWorkspaces: false },
  {
    name: '`remote` with a name, runs by agents',
    execution: 'agent',
    block: (organization, name) => remote(organization, `name = "${name}"`),
    manyWorkspaces: false,
  },
  {
    name: '`remote` with a prefix, local runs',
    execution: 'local',
    block: (organization, name) => remote(organization, `prefix = "${name}-"`),
    manyWorkspaces: true,
  },
  {
    name: '`cloud` with a list of tags, local runs',
    execution: 'local',
    block: tagged('["network", "site:one"]'),
    manyWorkspaces: true,
    tags: { tags: { data: ['network', 'site:one'].map((name) => ({ type: 'tags', attributes: { name } })) } },
  },
  {
    name: '`cloud` with a map of tags, local runs (terraform only)',
    execution: 'local',
    block: tagged('{ stage = "test", team = "" }'),
    manyWorkspaces: true,
    tags: {
      'tag-bindings': {
        data: Object.entries({ stage: 'test', team: '' }).map(([key, value]) => ({
          type: 'tag-bindings',
          attributes: { key, value },
        })),
      },
    },
    only: 'terraform',
  },
  {
    name: '`cloud` with a project and a tag, local runs',
    execution: 'local',
    block: inProject('apps', 'network'),
    manyWorkspaces: true,
    tags: { tags: { data: [{ type: 'tags', attributes: { name: 'network' } }] } },
    project: 'apps',
  },
];

/** The directory that a command runs in, and its workspace. */
export interface Site {
  readonly place: Workplace;
  readonly lock: () => Promise<void>;
  /** How the CLI names the workspace to `force-unlock`. */
  readonly lockId: string;
}

/** A command of the CLI as a test runs it. */
export interface TerraformCommand {
  /** As people call it. */
  readonly command: string;
  readonly words: readonly string[];
  /** Only in a way with many workspaces. */
  readonly manyWorkspaces?: true;
  readonly before?: (site: Site) => Promise<void>;
  /** Read from its standard input. */
  readonly input?: string;
  readonly prints: string;
  /** Text that it must not print. */
  readonly hides?: string;
}

/** A workspace that has none of the tags, or is not in the project. */
export const elsewhere = 'elsewhere';

const quiet = ['-no-color', '-input=false'];

const provider = 'terraform.io/builtin/terraform';
const otherProvider = 'example.com/acme/terraform';

export const configuration =
  'resource "terraform_data" "x" { input = "hello" }\noutput "greeting" { value = terraform_data.x.output }\n';

/** Saves a state that differs from the current one, as an edit does. */
const edit = async ({ place }: Site): Promise<void> => {
  const state = JSON.parse((await place.run('state', 'pull')).printed);
  const outputs = { ...state.outputs, pushed: { value: 'yes', type: 'string' } };
  await place.write('edited.tfstate', JSON.stringify({ ...state, serial: state.serial + 1, outputs }));
};

/** In the order in which each finds what it needs. */
export const commands: readonly TerraformCommand[] = [
  { command: 'init', words: ['init', ...quiet], prints: 'initialized!' },
  {
    command: 'workspace new',
    words: ['workspace', 'new', '-no-color', 'two'],
    manyWorkspaces: true,
    prints: 'Created and switched to workspace "two"!',
  },
  {
    command: 'workspace list',
    words: ['workspace', 'list', '-no-color'],
    manyWorkspaces: true,
    prints: '* two',
    hides: elsewhere,
  },
  {
    command: 'workspace select',
    words: ['workspace', 'select', '-no-color', 'one'],
    manyWorkspaces: true,
    prints: 'Switched to workspace "one".',
  },
  {
    command: 'workspace delete',
    words: ['workspace', 'delete', '-no-color', 'two'],
    manyWorkspaces: true,
    prints: 'Deleted workspace "two"!',
  },
  { command: 'plan', words: ['plan', ...quiet], prints: 'Plan: 1 to add, 0 to change, 0 to destroy.' },
  { command: 'apply', words: ['apply', ...quiet, '-auto-approve'], prints: 'Resources: 1 added' },
  {
    command: 'apply -refresh-only',
    words: ['apply', ...quiet, '-auto-approve', '-refresh-only'],
    prints: 'terraform_data.x: Refreshing state...',
  },
  { command: 'output', words: ['output', '-no-color'], prints: 'greeting = "hello"' },
  { command: 'show', words: ['show', '-no-color'], prints: 'resource "terraform_data" "x"' },
  { command: 'console', words: ['console'], input: 'terraform_data.x.input\n', prints: '"hello"' },
  { command: 'taint', words: ['taint', '-no-color', 'terraform_data.x'], prints: 'marked as tainted' },
  { command: 'untaint', words: ['untaint', '-no-color', 'terraform_data.x'], prints: 'successfully untainted' },
  { command: 'state list', words: ['state', 'list'], prints: 'terraform_data.x' },
  { command: 'state show', words: ['state', 'show', '-no-color', 'terraform_data.x'], prints: '"hello"' },
  { command: 'state mv', words: ['state', 'mv', 'terraform_data.x', 'terraform_data.y'], prints: 'Successfully moved' },
  {
    command: 'state replace-provider',
    words: ['state', 'replace-provider', '-no-color', '-auto-approve', provider, otherProvider],
    prints: 'Successfully replaced provider',
  },
  { command: 'state rm', words: ['state', 'rm', 'terraform_data.y'], prints: 'Successfully removed' },
  { command: 'import', words: ['import', ...quiet, 'terraform_data.x', 'known'], prints: 'Import successful!' },
  { command: 'state pull', words: ['state', 'pull'], prints: '"known"' },
  { command: 'state push', words: ['state', 'push', '-no-color', 'edited.tfstate'], before: edit, prints: '' },
  {
    command: 'force-unlock',
    words: ['force-unlock', '-force'],
    before: ({ lock }) => lock(),
    prints: 'successfully unlocked',
  },
  { command: 'workspace show', words: ['workspace', 'show'], prints: '' },
  { command: 'destroy', words: ['destroy', ...quiet, '-auto-approve'], prints: '1 destroyed' },
];
