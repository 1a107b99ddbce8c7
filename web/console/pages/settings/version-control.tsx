import { useState } from 'react';
import { api, type Schemas } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { useChange } from '../../parts/change.ts';
import { Confirm } from '../../parts/confirm.tsx';
import type { FormValues } from '../../parts/entry-form.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Field } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { ProblemView } from '../../parts/problem-view.tsx';
import { Secret } from '../../parts/secret.tsx';
import { outdatedByVersions } from '../../workspace/outdated.ts';
import type { Workspace } from '../../workspace/workspace.ts';

type Repository = NonNullable<Workspace['attributes']['vcs-repo']>;
/** With the key of a webhook that the change made. */
type Linked = Schemas['client.ChangedWorkspace']['attributes']['vcs-repo'];

const outdates = ['/organizations/{organization}/workspaces/{name}'] as const;

const link = (workspaceId: string, repository: object | null) =>
  api.patch('/workspaces/{id}', {
    path: { id: workspaceId },
    body: { data: { type: 'workspaces', attributes: { 'vcs-repo': repository as Repository | null } } },
  });

/** The repository that configuration versions come from. */
export function VersionControl({ workspace: { id, attributes } }: { readonly workspace: Workspace }) {
  const { permissions, 'vcs-repo': repository } = attributes;
  const [issued, setIssued] = useState<Linked>(null);
  const mayLink = permissions['can-link-repository'];
  const unlink = useChange(() => link(id, null), { done: 'The repository was unlinked.', outdates });
  return (
    <section className="card" aria-labelledby="repository">
      <div className="heading">
        <h2 id="repository">Version control</h2>
        <div className="actions">
          {mayLink && <LinkDialog workspaceId={id} repository={repository} linked={setIssued} />}
          {mayLink && repository !== null && (
            <Confirm
              trigger="Unlink"
              triggerName="Unlink the repository"
              title="Unlink the repository?"
              confirm="Unlink repository"
              isDanger
              onConfirm={() => unlink.run(undefined)}
            >
              <p>Pushed commits no longer create configuration versions. Existing versions are kept.</p>
            </Confirm>
          )}
        </div>
      </div>
      {repository === null ? (
        <p className="quiet">No repository is linked.</p>
      ) : (
        <>
          <Facts facts={factsOf(repository)} />
          {permissions['can-create-configuration-version'] && <Fetch workspaceId={id} />}
        </>
      )}
      {issued?.['webhook-key'] !== undefined && issued['webhook-url'] === repository?.['webhook-url'] && (
        <>
          <Secret label="Webhook key." value={issued['webhook-key']} />
          <p>Register the webhook in the version control system, with content type application/json and this key.</p>
        </>
      )}
    </section>
  );
}

const factsOf = (repository: Repository) =>
  [
    ['Repository', <code key="repository">{repository['clone-url']}</code>],
    ['Branch', repository.branch || 'the default branch'],
    ['Credential', repository.credential ?? 'none'],
    // Below the address of the service, which is that of this page.
    ['Webhook', <code key="webhook">{new URL(repository['webhook-url'], location.origin).href}</code>],
  ] as const;

interface LinkProps {
  readonly workspaceId: string;
  readonly repository: Repository | null;
  readonly linked: (repository: Linked) => void;
}

const LinkDialog = ({ workspaceId, repository, linked }: LinkProps) => (
  <FormDialog
    trigger={repository === null ? 'Link a repository' : 'Change the link'}
    title={repository === null ? 'Link a repository' : 'Change the link'}
    submit="Save link"
    send={({ 'clone-url': url, branch = '', credential = '' }: FormValues) =>
      link(workspaceId, { 'clone-url': url, branch, ...(credential !== '' && { credential }) })
    }
    done="The repository was linked."
    outdates={outdates}
    then={({ data }) => linked(data.attributes['vcs-repo'])}
  >
    <Field
      label="Clone URL"
      name="clone-url"
      isRequired
      autoFocus
      defaultValue={repository?.['clone-url'] ?? ''}
      description="Another repository gets a new webhook with a new key."
    />
    <Field
      label="Branch"
      name="branch"
      defaultValue={repository?.branch ?? ''}
      description="Empty for the default branch."
    />
    <Field
      label="Credential"
      name="credential"
      defaultValue={repository?.credential ?? ''}
      description="The name that the operator gave it. Empty for none."
    />
  </FormDialog>
);

function Fetch({ workspaceId }: { readonly workspaceId: string }) {
  const fetching = useChange(() => api.post('/workspaces/{id}/actions/fetch', { path: { id: workspaceId } }), {
    done: 'The newest commit becomes a configuration version.',
    outdates: outdatedByVersions,
  });
  return (
    <>
      {fetching.problem !== undefined && <ProblemView problem={fetching.problem} />}
      <p>
        <Button isPending={fetching.isPending} onPress={() => void fetching.run(undefined).catch(() => {})}>
          Fetch the newest commit
        </Button>
      </p>
    </>
  );
}
