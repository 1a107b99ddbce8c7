import { api } from '../../api/client.ts';
import { useRead } from '../../api/reading.ts';
import { pageOf, useAddressValues } from '../../parts/address-values.ts';
import { Pager } from '../../parts/pager.tsx';
import { WorkspaceAttachments } from '../../parts/workspace-attachments.tsx';
import type { Workspace } from '../../workspace/workspace.ts';

const path = '/workspaces/{id}/relationships/remote-state-consumers';

interface Props {
  readonly organization: string;
  readonly workspace: Workspace;
}

/** The workspaces whose runs may read the state of this one. */
export const StateConsumers = ({ organization, workspace: { id, attributes } }: Props) =>
  attributes['global-remote-state'] ? (
    <section className="card" aria-labelledby="consumers">
      <h2 id="consumers">Remote state consumers</h2>
      <p>
        Every workspace in the organization can read this state. To choose workspaces, turn off sharing in the general
        settings first.
      </p>
    </section>
  ) : (
    <Chosen organization={organization} workspaceId={id} />
  );

function Chosen({ organization, workspaceId: id }: { readonly organization: string; readonly workspaceId: string }) {
  const [values] = useAddressValues();
  const { data, meta } = useRead(path, { path: { id }, query: { 'page[number]': pageOf(values) } });
  const bodyOf = (consumer: string) => ({ data: [{ type: 'workspaces' as const, id: consumer }] });
  return (
    <WorkspaceAttachments
      heading="Remote state consumers"
      empty="No workspace can read this state."
      verbs={['Allow', 'Remove']}
      organization={organization}
      items={data.map((one) => ({ id: one.id, name: one.attributes.name }))}
      add={(consumer) => api.post(path, { path: { id }, body: bodyOf(consumer) })}
      remove={(consumer) => api.delete(path, { path: { id }, body: bodyOf(consumer) })}
      outdates={[path]}
      more={<Pager pagination={meta.pagination} what="Consumers" />}
    />
  );
}
