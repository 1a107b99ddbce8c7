import { Link } from 'wouter';
import { addresses } from '../../addresses.ts';
import type { StateVersion } from './state-version.ts';

interface OriginProps {
  readonly organization: string;
  readonly name: string;
  readonly of: StateVersion['relationships'];
}

/** The origin of a state: a rollback, a run, or another client. */
export function Origin({ organization, name, of: { run, 'rollback-state-version': source, ...others } }: OriginProps) {
  if (source.data !== null) {
    return (
      <>
        rollback to{' '}
        <Link href={addresses.state(organization, name, source.data.id)}>
          <code>{source.data.id}</code>
        </Link>
      </>
    );
  }
  if (run.data !== null) {
    return (
      <Link href={addresses.run(organization, name, run.data.id)}>
        <code>{run.data.id}</code>
      </Link>
    );
  }
  const { data } = others['created-by'];
  return data === null ? <span className="quiet">unknown</span> : <code>{data.id}</code>;
}
