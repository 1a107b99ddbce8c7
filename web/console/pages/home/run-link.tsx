import { Link } from 'wouter';
import { addresses } from '../../addresses.ts';

interface Props {
  readonly run: {
    readonly id: string;
    readonly organization: string;
    readonly message: string;
    readonly 'workspace-name': string;
  };
}

/** The workspace and the title of a run, which lead to it. */
export const RunLink = ({ run }: Props) => (
  <Link href={addresses.run(run.organization, run['workspace-name'], run.id)}>
    <bdi>{run['workspace-name']}</bdi>: <bdi>{run.message || run.id}</bdi>
  </Link>
);
