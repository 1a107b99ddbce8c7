import type { JsonSchema, SchemaCollection } from './json-schema.js';

const ids: Readonly<Record<string, string>> = {
  users: 'user-Tf7XkMBdq2PNsY4w',
  teams: 'team-9cVhLrWm3ZpKxQ8t',
  workspaces: 'ws-ED4SgSFpvSTdHc2V',
  'agent-pools': 'apool-H2sYw8KfR6tNb4Vx',
  'configuration-versions': 'cv-b7RjNw4UmGzHq5Ky',
  'configuration-version': 'cv-b7RjNw4UmGzHq5Ky',
  'organization-memberships': 'ou-W3nCyVt8PkFsJ6Xa',
};

/** What members of these names hold in examples. */
const words: Readonly<Record<string, unknown>> = {
  name: 'production',
  email: 'ops@example.com',
  username: 'ops',
  description: 'What the customers use',
  reason: 'The database is being moved',
  message: 'Add a second region',
  'expired-at': '2030-01-31T09:00:00.000Z',
  'terraform-version': '1.9.8',
  'working-directory': 'environments/production',
  'execution-mode': 'agent',
  'default-execution-mode': 'agent',
  'setting-overwrites': { 'execution-mode': true, 'agent-pool': true },
  'agent-pool-id': 'apool-H2sYw8KfR6tNb4Vx',
  'clone-url': 'https://git.example.com/acme/network.git',
  branch: 'main',
  credential: 'git.example.com',
  'target-addrs': ['module.network'],
  'replace-addrs': [],
  key: 'region',
  value: '"eu-west-1"',
  query: 'data.terraform.deny',
  'resource-additions': 3,
  'resource-changes': 1,
  'resource-destructions': 0,
  'resource-imports': 0,
  'has-changes': true,
  'policy-tool-version': '0.68.0',
  'policy-set-id': 'polset-4vNdRk7JwBtZy2Hm',
  error: '',
  warnings: [],
  output: [{ message: 'the bucket is public' }],
};

/** Of two spellings of one member, examples show the first. */
const otherSpellings: ReadonlySet<string> = new Set(['enforcement_level', 'sentinel-mocks']);

const idAmong = (members: Readonly<Record<string, JsonSchema>>): string => {
  const type = members.type?.const ?? members.type?.enum?.[0];
  return ids[String(type ?? 'teams')] ?? 'id-Zq8KvNw4UmGzHq5K';
};

/** One value that a schema of a request's body takes, the same each time. */
export function exampleFor(schemas: SchemaCollection, given: JsonSchema): unknown {
  const schema = schemas.resolve(given);
  if (schema.examples !== undefined) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const one = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].find(({ type }) => type !== 'null');
  if (one !== undefined) return exampleFor(schemas, one);
  switch (Array.isArray(schema.type) ? schema.type.find((type) => type !== 'null') : schema.type) {
    case 'object': {
      const members = (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
      return Object.fromEntries(
        Object.entries(members)
          .filter(([name]) => !otherSpellings.has(name))
          .map(([name, member]) => [
            name,
            name === 'id'
              ? idAmong(members)
              : name in words && member.type !== 'null'
                ? words[name]
                : exampleFor(schemas, member),
          ]),
      );
    }
    case 'array':
      return schema.maxItems === 0 ? [] : [exampleFor(schemas, schema.items as JsonSchema)];
    case 'boolean':
      return false;
    case 'number':
    case 'integer':
      return schema.minimum ?? 0;
    case 'null':
      return null;
    default:
      return 'text';
  }
}
