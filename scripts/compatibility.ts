import { globSync, readFileSync } from 'node:fs';
import { notServed } from '../src/adapters/http/openapi/not-served.js';
import { notWalked, otherData, providerVersion, resources } from '../tests/clients/provider-resources.js';
import { commands, ways } from '../tests/clients/terraform-commands.js';
import { code, mark, page } from './docs.js';
import { table } from './table.js';

const client = new URL('../tests/clients/go-tfe/', import.meta.url);

const clientVersion = /go-tfe (v\S+)/.exec(readFileSync(new URL('go.mod', client), 'utf8'))?.[1] ?? '';

/** The calls of the program that walks the service, by the service of the client. */
function clientCalls(): readonly (readonly [string, readonly string[]])[] {
  const calls = new Map<string, Set<string>>();
  for (const file of globSync('*.go', { cwd: client })) {
    const source = readFileSync(new URL(file, client), 'utf8');
    for (const [, service = '', method = ''] of source.matchAll(/\bclient\.([A-Z]\w+)\.([A-Z]\w+)\(/g)) {
      calls.set(service, (calls.get(service) ?? new Set()).add(method));
    }
  }
  return [...calls].sort().map(([service, methods]) => [service, [...methods].sort()]);
}

const cellsOf = ({ importId, unread, changed, data }: (typeof resources)[number]): readonly string[] => [
  importId === undefined
    ? 'not offered by the provider'
    : unread
      ? `${mark(true)}, but the provider does not read ${unread.map(code).join(', ')}`
      : mark(true),
  changed.by === 'update' ? 'updates it' : 'replaces it',
  mark(data !== undefined),
];

/** `docs/compatibility.md`: the tables that the tests with real clients walk. */
export const compatibilityPage = (): string =>
  page(
    '# What works with terraform, OpenTofu, the provider and go-tfe',
    [
      'Tests run the real, unmodified programs against the built service (`npm run test:full`). `npm run docs` generates this page from',
      'the tables in `tests/clients` that these tests walk.',
    ].join('\n'),
    '## terraform and OpenTofu',
    [
      'Tested with terraform 1.11, and with OpenTofu 1.10 where it is installed. Each command runs in each kind of workspace.',
      `${code(mark(false))}: the CLI does not offer it there.`,
    ].join('\n'),
    table(
      ['Commands', ...ways.map(({ name }) => name)],
      [...Map.groupBy(commands, ({ manyWorkspaces }) => manyWorkspaces ?? false)].map(([many, alike]) => [
        alike.map(({ command }) => code(command)).join(', '),
        ...ways.map((way) => mark(!many || way.manyWorkspaces)),
      ]),
    ),
    [
      "- `login` keeps a token that you paste, and `logout` forgets it. With [sign-in](sign-in.md), terraform's `login` opens the browser.",
      '- `plan` and `apply` also work with `-target`, `-replace`, `-destroy`, `-var`, `-var-file`, `-out` and `-generate-config-out`, ask before',
      '  they apply or override policies, and cancel the run after Ctrl-C.',
      '- `state push -force` works with a `remote` backend. With a `cloud` block, terraform does not send the force.',
      '- A state that an apply could not save is kept in `errored.tfstate`, and `state push` takes it.',
    ].join('\n'),
    '## The tfe provider',
    [
      `Tested with version ${providerVersion}, over https. Each resource is created, planned again without a change, imported, changed and`,
      'destroyed.',
    ].join('\n'),
    table(
      ['Resources', 'Import', 'A change', 'Data source'],
      [...Map.groupBy(resources, (resource) => cellsOf(resource).join(' | '))].map(([cells, alike]) => [
        alike.map(({ type }) => code(type)).join(', '),
        cells,
      ]),
    ),
    `Other data sources: ${otherData.map(({ type }) => code(type)).join(', ')}.`,
    `Not tested: ${Object.entries(notWalked)
      .map(([type, why]) => `${code(type)}, which ${why}`)
      .join('; ')}.`,
    '## go-tfe',
    `Tested with ${clientVersion}.`,
    table(
      ['Service', 'Methods'],
      clientCalls().map(([service, methods]) => [code(service), methods.map(code).join(', ')]),
    ),
    '## Different on purpose',
    [
      '- Lists of outputs show null for sensitive values. `/state-version-outputs/:id` shows the value.',
      '- `global-remote-state` is false unless a client sets it.',
      '- A team has one token.',
      '- A token issued without `expired-at` never expires. If a token TTL policy applies, `expired-at` is required.',
    ].join('\n'),
    '## Not served',
    'Requests for these are 404 with the reason, and the resources of the provider that need them do not work.',
    table(
      ['', 'Endpoints, with those below them', 'Resources of the provider', 'Why'],
      notServed.map(({ name, paths, alone = [], resources: needing, why, more }) => [
        name,
        [...paths.map(code), ...alone.map((path) => `${code(path)} itself`)].join(', '),
        needing.map(code).join(', '),
        more === undefined ? why : `${why} See ${more}.`,
      ]),
    ),
  );
