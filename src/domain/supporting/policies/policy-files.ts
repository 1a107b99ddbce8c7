import { DomainError } from '../../shared/domain-error.js';
import { isWellFormedName } from '../../shared/name.js';
import { type Block, BlockFault } from './block.js';
import { outcomeLevel, type Policy, type PolicyKind, type PolicyLevel, policyLevels } from './policy.js';
import { maxPoliciesOfSet } from './policy-set.js';

/** The files of a policy set version, as far as the service reads them. */
export interface PolicyFiles {
  /** The blocks of `policies.hcl` and `sentinel.hcl`, or the fault of the file, by their names in the root of the archive. */
  readonly configurations: ReadonlyMap<string, readonly Block[] | BlockFault>;
  /** The number of `.rego` files that are not tests. */
  readonly regoFiles: number;
}

/** The policies that a version defines. */
export interface DefinedPolicies {
  readonly policies: readonly Policy[];
  /** Whether one of them is hard-mandatory: no failure of it can be overridden. */
  readonly hardMandatory: boolean;
}

/** In bytes. A set holds code, and half a megabyte of zeros unpacks to half a gigabyte. */
export const maxUnpackedPolicies = 64 * 1024 * 1024;

/** The file in the root of the archive that names the policies. */
export const configurationFiles = { opa: 'policies.hcl', sentinel: 'sentinel.hcl' } as const satisfies Record<
  PolicyKind,
  string
>;

export const isRego = (name: string): boolean => name.endsWith('.rego') && !name.endsWith('_test.rego');

/** Blocks besides `policy`. They are stored with the archive and not evaluated. */
const otherBlocks: Readonly<Record<PolicyKind, readonly string[]>> = {
  opa: [],
  sentinel: ['sentinel', 'module', 'import', 'mock', 'global', 'param'],
};

const attributesOf = {
  opa: ['query', 'enforcement_level', 'description'],
  sentinel: ['source', 'enforcement_level', 'description', 'params'],
} as const satisfies Record<PolicyKind, readonly string[]>;

const longestText = 4096;

/** Throws `bundle/malformed`, with the line, for files from which the policies cannot be read. */
export function policiesIn(kind: PolicyKind, { configurations, regoFiles }: PolicyFiles): DefinedPolicies {
  const file = configurationFiles[kind];
  const blocks = configurations.get(file);
  const refused = (message: string) => new DomainError('bundle/malformed', message);
  if (blocks === undefined) throw refused(`the archive has no ${file} in its root`);
  if (kind === 'opa' && regoFiles === 0) throw refused('the archive has no .rego file');
  try {
    if (blocks instanceof BlockFault) throw blocks;
    for (const block of blocks) checkBlock(kind, block);
    const defined = blocks.filter(({ type }) => type === 'policy').map((block) => policyOf(kind, block));
    if (defined.length > maxPoliciesOfSet) {
      throw new BlockFault(1, `a policy set can have at most ${maxPoliciesOfSet} policies`);
    }
    checkNames(blocks);
    return {
      policies: defined.map(({ level, ...policy }) => ({ ...policy, enforcementLevel: outcomeLevel(level) })),
      hardMandatory: defined.some(({ level }) => level === 'hard-mandatory'),
    };
  } catch (error) {
    if (error instanceof BlockFault) throw refused(`${file}, line ${error.line}: ${error.message}`);
    throw error;
  }
}

function checkNames(blocks: readonly Block[]): void {
  const names = new Set<string>();
  for (const { type, labels, line } of blocks) {
    if (type !== 'policy') continue;
    const name = labels[0] ?? '';
    if (names.has(name)) throw new BlockFault(line, `the policy ${name} is defined twice`);
    names.add(name);
  }
}

function checkBlock(kind: PolicyKind, block: Block): void {
  const { type, line } = block;
  if (type !== 'policy' && !otherBlocks[kind].includes(type)) {
    throw new BlockFault(line, `blocks of type ${type} are not supported`);
  }
  checkSources(block);
}

/** Agents get the archive and nothing else. */
function checkSources({ attributes, blocks, line }: Block): void {
  const source = attributes.get('source');
  if (source !== undefined && !(typeof source === 'string' && isLocal(source))) {
    throw new BlockFault(
      line,
      'the source must be a path inside the archive that begins with ./ (remote sources are not fetched: pack the files)',
    );
  }
  for (const block of blocks) checkSources(block);
}

const isLocal = (source: string): boolean =>
  source.startsWith('./') && !source.split('/').includes('..') && !/[:\\?]/.test(source);

function policyOf(kind: PolicyKind, { labels, attributes, blocks, line }: Block) {
  const fault = (message: string) => new BlockFault(line, message);
  const [name, ...others] = labels;
  if (name === undefined || others.length > 0 || !isWellFormedName(name)) {
    throw fault('a policy must have one name: letters, digits, underscores and dashes');
  }
  const [block] = blocks;
  if (block !== undefined) throw fault(`the policy ${name} must not contain blocks`);
  const known: readonly string[] = attributesOf[kind];
  for (const attribute of attributes.keys()) {
    if (!known.includes(attribute)) throw fault(`the policy ${name} has an unknown attribute ${attribute}`);
  }
  const textOf = (attribute: string): string | undefined => {
    const value = attributes.get(attribute);
    if (value === undefined) return undefined;
    if (typeof value !== 'string' || value.length > longestText) {
      throw fault(`${attribute} of the policy ${name} must be a text of at most ${longestText} characters`);
    }
    return value;
  };
  const level = textOf('enforcement_level') ?? 'advisory';
  const levels: readonly string[] = policyLevels[kind];
  if (!levels.includes(level))
    throw fault(`enforcement_level of the policy ${name} must be one of ${levels.join(', ')}`);
  const query = textOf('query') ?? null;
  if (kind === 'opa' && (query === null || query.trim() === '')) {
    throw fault(`the policy ${name} must have a query, such as data.example.deny`);
  }
  return { name, description: textOf('description') ?? '', query, level: level as PolicyLevel };
}
