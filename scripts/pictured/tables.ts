/** The forty workspaces by their project, each with its tags. */
export const workspaces: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  Networking: {
    'network-production': ['aws', 'production'],
    'network-staging': ['aws', 'staging'],
    dns: ['production'],
    vpn: ['aws', 'production'],
    firewall: ['production'],
    'edge-cache': ['production'],
    'transit-eu': ['aws', 'production'],
    'transit-us': ['aws', 'production'],
  },
  Commerce: {
    'checkout-production': ['aws', 'production'],
    'checkout-staging': ['aws', 'staging'],
    'catalog-production': ['aws', 'production'],
    'catalog-staging': ['aws', 'staging'],
    'payments-production': ['aws', 'pci', 'production'],
    'payments-staging': ['aws', 'staging'],
    'search-production': ['aws', 'production'],
    'search-staging': ['aws', 'staging'],
    'orders-production': ['aws', 'production'],
    'orders-staging': ['aws', 'staging'],
    invoices: ['pci', 'production'],
    'fraud-detection': ['pci', 'production'],
    loyalty: ['production'],
    storefront: ['production'],
  },
  Data: {
    warehouse: ['gcp', 'production'],
    lake: ['aws', 'production'],
    streaming: ['aws', 'production'],
    pipelines: ['gcp', 'production'],
    notebooks: ['gcp'],
    features: ['gcp', 'staging'],
    reports: ['gcp', 'production'],
    metrics: ['production'],
    'archive-eu': ['aws'],
    'archive-us': ['aws'],
  },
  'Default Project': {
    identity: ['production'],
    secrets: ['production'],
    registry: ['production'],
    'ci-runners': ['aws'],
    monitoring: ['production'],
    'status-page': ['production'],
    mail: ['production'],
    backups: ['aws', 'production'],
  },
};

/** The policies of each set, with their levels and descriptions. */
export const policySets = {
  baseline: {
    description: 'Rules for everything that runs in production.',
    policies: {
      'no-public-buckets': ['mandatory', 'Storage must not be readable by everyone.'],
      'encrypted-volumes': ['mandatory', 'Disks and databases must be encrypted.'],
      'cost-centre-tag': ['advisory', 'Resources should name the cost centre that pays for them.'],
    },
  },
  'network-guardrails': {
    description: 'Services are reached through the VPN, from approved regions.',
    policies: {
      'no-open-ingress': ['mandatory', 'Ingress from everywhere needs an approval.'],
      'approved-regions': ['mandatory', 'Resources must be in eu-north-1 or eu-west-1.'],
    },
  },
} as const;

/** The output of each policy that fails. */
export const messages: Readonly<Record<string, readonly unknown[]>> = {
  'no-public-buckets': ['aws_s3_bucket.exports allows public reads'],
  'no-open-ingress': [
    {
      msg: 'Port 22 is open to the internet',
      resource: 'module.vpc.aws_security_group.bastion',
      rule: { from_port: 22, to_port: 22, cidr_blocks: ['0.0.0.0/0'] },
    },
    'Use the VPN, or ask the platform team for an approval.',
  ],
  'cost-centre-tag': ['module.vpc.aws_nat_gateway.public has no tag cost-centre'],
  'encrypted-volumes': ['aws_ebs_volume.scratch is not encrypted'],
};

/** Two weeks of runs, by who started them: the workspace, the message, and the policies that fail. */
export const past: readonly (readonly [
  by: 'ben' | 'dana',
  workspace: string,
  message: string,
  fails?: readonly string[],
])[] = [
  ['dana', 'dns', 'Move the zones'],
  ['ben', 'checkout-production', 'Larger instances for the sale'],
  ['ben', 'checkout-staging', 'Try the new queue', ['cost-centre-tag']],
  ['dana', 'vpn', 'Renew the certificates'],
  ['ben', 'catalog-production', 'Add a read replica'],
  ['dana', 'lake', 'Keep exports for 90 days', ['no-public-buckets', 'cost-centre-tag']],
  ['ben', 'orders-production', 'Split reads from writes', ['cost-centre-tag']],
  ['dana', 'streaming', 'Six more partitions'],
  ['ben', 'payments-staging', 'Rotate the database password'],
  ['ben', 'search-production', 'Reindex on new nodes', ['encrypted-volumes']],
  ['dana', 'monitoring', 'Alert on replication lag'],
  ['dana', 'edge-cache', 'Cache images for a day', ['cost-centre-tag']],
];
