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
    {run['workspace-name']}: {run.message || run.id}
  </Link>
);
