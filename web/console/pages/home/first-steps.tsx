import { Lines } from '../../parts/lines.tsx';
import { cloudBlock } from '../../workspace/cloud-block.ts';
import { NewWorkspace } from '../../workspace/new-workspace.tsx';

/** Says what the page is for while nothing waits, and how to begin. */
export const FirstSteps = ({
  organization,
  mayCreate,
}: {
  readonly organization: string;
  readonly mayCreate: boolean;
}) => (
  <div className="empty">
    <p>
      Nothing waits for you. Runs that need your decision, runs that failed or have no agent, and tokens that end soon
      appear here.
    </p>
    {mayCreate && (
      <>
        <p>
          <NewWorkspace organization={organization} />
        </p>
        <p>Terraform creates one too, with these lines:</p>
        <Lines label="the cloud block" text={cloudBlock(organization, 'network')} />
      </>
    )}
  </div>
);
