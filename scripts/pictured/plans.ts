type Action = 'create' | 'update' | 'delete' | 'replace';

const actionsOf = {
  create: ['create'],
  update: ['update'],
  delete: ['delete'],
  replace: ['delete', 'create'],
} as const;

interface Change {
  readonly address: string;
  readonly action: Action;
  readonly before?: object;
  readonly after?: object;
  /** The attributes that are known after the apply. */
  readonly unknown?: Readonly<Record<string, true>>;
  /** The attribute that forces the replacement. */
  readonly replacedBy?: string;
}

/** A plan of terraform, as far as the console and the state have it. */
export interface Plan {
  readonly changes: readonly Change[];
  /** The values of each output before and after it. */
  readonly outputs?: Readonly<Record<string, readonly [before: string | null, after: string]>>;
}

const subnet = (zone: string) => ({
  address: `module.vpc.aws_subnet.private["${zone}"]`,
  action: 'update' as const,
  before: { availability_zone: `eu-north-1${zone}`, tags: { Name: `private-${zone}`, Tier: 'internal' } },
  after: { availability_zone: `eu-north-1${zone}`, tags: { Name: `private-${zone}`, Tier: 'cluster' } },
});

const allowing = (...actions: readonly string[]): string =>
  JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: actions, Resource: '*' }] });

const created = (address: string, after: object): Change => ({
  address,
  action: 'create',
  after,
  unknown: { id: true },
});

export const plans = {
  /** The first of the network. */
  firstNetwork: {
    changes: [
      created('module.vpc.aws_vpc.main', { cidr_block: '10.20.0.0/16' }),
      ...['a', 'b', 'c'].map((zone) => created(`module.vpc.aws_subnet.private["${zone}"]`, {})),
      created('module.vpc.aws_nat_gateway.public', { connectivity_type: 'public' }),
      created('module.vpc.aws_security_group.bastion', { name: 'bastion' }),
      created('aws_iam_role.flow_logs', { name: 'flow-logs' }),
    ],
    outputs: { vpc_cidr: [null, '10.20.0.0/16'], nat_address: [null, '203.0.113.17'], region: [null, 'eu-north-1'] },
  },
  network: {
    changes: [
      {
        address: 'aws_iam_role.flow_logs',
        action: 'update',
        before: { name: 'flow-logs', inline_policy: allowing('logs:PutLogEvents') },
        after: { name: 'flow-logs', inline_policy: allowing('logs:CreateLogStream', 'logs:PutLogEvents') },
      },
      {
        address: 'module.vpc.aws_nat_gateway.public',
        action: 'replace',
        before: { allocation_id: 'eipalloc-0c1', connectivity_type: 'public', public_ip: '203.0.113.17' },
        after: { allocation_id: 'eipalloc-0f7', connectivity_type: 'public' },
        unknown: { public_ip: true },
        replacedBy: 'allocation_id',
      },
      { address: 'module.vpc.aws_route.legacy', action: 'delete', before: { destination_cidr_block: '10.9.0.0/16' } },
      ...['a', 'b', 'c'].map(subnet),
      created('module.vpc.aws_subnet.cluster["a"]', { cidr_block: '10.20.64.0/19' }),
      created('module.vpc.aws_subnet.cluster["b"]', { cidr_block: '10.20.96.0/19' }),
    ],
    outputs: { nat_address: ['203.0.113.17', '203.0.113.18'] },
  },
  access: {
    changes: [
      {
        address: 'module.vpc.aws_security_group.bastion',
        action: 'update',
        before: { ingress: [{ from_port: 22, cidr_blocks: ['10.20.0.0/16'] }] },
        after: { ingress: [{ from_port: 22, cidr_blocks: ['0.0.0.0/0'] }] },
      },
    ],
  },
  records: {
    changes: [
      created('aws_route53_record.shop', { name: 'shop.acme.example', ttl: 300, type: 'A' }),
      created('aws_route53_record.status', { name: 'status.acme.example', ttl: 300, type: 'CNAME' }),
    ],
    outputs: { shop: [null, 'https://shop.acme.example'] },
  },
  small: {
    changes: [
      created('aws_cloudwatch_metric_alarm.errors', { threshold: 5 }),
      { address: 'aws_db_instance.main', action: 'update', before: { iops: 3_000 }, after: { iops: 6_000 } },
    ],
  },
} as const satisfies Readonly<Record<string, Plan>>;

const moduleOf = (address: string): string | undefined => /^(module\.[^.]+)\./.exec(address)?.[1];

/** The plan in terraform's JSON form. */
export const planJson = ({ changes, outputs = {} }: Plan): object => ({
  format_version: '1.2',
  resource_changes: changes.map(({ address, action, before = null, after = null, unknown, replacedBy }) => ({
    address,
    module_address: moduleOf(address),
    change: {
      actions: actionsOf[action],
      before,
      after,
      after_unknown: unknown ?? {},
      before_sensitive: {},
      after_sensitive: {},
      ...(replacedBy === undefined ? {} : { replace_paths: [[replacedBy]] }),
    },
  })),
  output_changes: Object.fromEntries(
    Object.entries(outputs).map(([name, [before, after]]) => [
      name,
      { actions: [before === null ? 'create' : 'update'], before, after },
    ]),
  ),
});

/** The counts that an agent reports: a replacement is one of each. */
export const countsOf = ({ changes }: Plan): Readonly<Record<string, number>> => {
  const count = (...found: readonly Action[]) => changes.filter(({ action }) => found.includes(action)).length;
  return {
    'resource-additions': count('create', 'replace'),
    'resource-changes': count('update'),
    'resource-destructions': count('delete', 'replace'),
  };
};

/** The output of terraform with its colours. */
export const logOf = ({ changes }: Plan): string => {
  const signs = { create: '\u001b[32m+', update: '\u001b[33m~', delete: '\u001b[31m-', replace: '\u001b[31m-/+' };
  return [
    '\u001b[1mInitializing the backend...\u001b[0m',
    'Initializing provider plugins...',
    '- Reusing previous version of hashicorp/aws from the dependency lock file',
    '',
    ...changes.map(({ address, action }) => `  ${signs[action]}\u001b[0m ${address}`),
    '',
  ].join('\n');
};

/** The state after the apply, which has what the plan leaves. */
export function stateOf({ changes, outputs = {} }: Plan, serial: number, lineage: string): string {
  return JSON.stringify({
    version: 4,
    terraform_version: '1.11.4',
    serial,
    lineage,
    outputs: Object.fromEntries(Object.entries(outputs).map(([name, [, value]]) => [name, { value, type: 'string' }])),
    resources: changes
      .filter(({ action }) => action !== 'delete')
      .map(({ address, after = {} }) => {
        const [, type, name, key] = /([^.]+)\.([^.[]+)(?:\["(.+)"\])?$/.exec(address) ?? [];
        return {
          module: moduleOf(address),
          mode: 'managed',
          type,
          name,
          provider: 'provider["registry.terraform.io/hashicorp/aws"]',
          instances: [{ index_key: key, schema_version: 0, attributes: after, sensitive_attributes: [] }],
        };
      }),
  });
}
