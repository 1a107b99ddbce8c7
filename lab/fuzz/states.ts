import { createHash } from 'node:crypto';

/** The values that distinguish the bytes of one state from those of another. */
export interface StateName {
  readonly serial: number;
  readonly lineage: string;
}

export const digestOf = (algorithm: 'md5' | 'sha256', bytes: Buffer | string): string =>
  createHash(algorithm).update(bytes).digest('hex');

/** Any lineage may follow a state that has none. */
export const mayFollow = (next: StateName, before: StateName): boolean =>
  next.serial > before.serial && ['', next.lineage].includes(before.lineage);

export const stateBytes = ({ serial, lineage }: StateName): Buffer =>
  Buffer.from(JSON.stringify({ version: 4, serial, lineage }));

/** The announcement of an agent that found this state and changes its serial by `step`. */
export function stateAfter(found: StateName | null, step: number) {
  const name = { serial: Math.max(0, (found?.serial ?? 0) + step), lineage: found?.lineage ?? 'one' };
  const bytes = stateBytes(name);
  const outputs = [
    { name: 'address', type: 'string', value: '10.0.0.1', sensitive: false },
    { name: 'key', type: ['object', { pem: 'string' }], value: { pem: 'secret' }, sensitive: true },
  ];
  return { ...name, md5: digestOf('md5', bytes), size: bytes.length, outputs };
}
