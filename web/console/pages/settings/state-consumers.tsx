import { api } from '../../api/client.ts';
import { useRead } from '../../api/reading.ts';
import { useAddressValues } from '../../parts/address-values.ts';
import { Pager } from '../../parts/pager.tsx';
import { WorkspaceAttachments } from '../../parts/workspace-attachments.tsx';
import type { Workspace } from '../../shell/workspace-page.tsx';

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
        Runs of every workspace of the organization may read the state. To choose workspaces, first end the sharing in
        the general settings.
      </p>
    </section>
  ) : (
    <Chosen organization={organization} workspaceId={id} />
  );

function Chosen({ organization, workspaceId: id }: { readonly organization: string; readonly workspaceId: string }) {
  const [values] = useAddressValues();
  const { data, meta } = useRead(path, { path: { id }, query: { 'page[number]': Number(values.page ?? 1) } });
  const bodyOf = (consumer: string) => ({ data: [{ type: 'workspaces' as const, id: consumer }] });
  return (
    <WorkspaceAttachments
      heading="Remote state consumers"
      empty="Runs of no other workspace may read the state."
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
