import { useState } from 'react';
import type { Readable } from '../../api/client.ts';
import { api, type Schemas, send } from '../../api/client.ts';
import { serviceResponds } from '../../api/connection.ts';
import { Problem } from '../../api/problem.ts';
import { announce } from '../../parts/announce.tsx';
import { Button } from '../../parts/button.tsx';
import { useChange } from '../../parts/change.ts';
import { Confirm } from '../../parts/confirm.tsx';
import type { Workspace } from '../../shell/workspace-page.tsx';

export const outdated: readonly Readable[] = [
  '/workspaces/{workspaceId}/configuration-versions',
  '/organizations/{organization}/workspaces/{name}',
  '/workspaces/{workspaceId}/runs',
];

interface Props {
  readonly version: Schemas['client.ConfigurationVersion'];
  readonly workspace: Workspace;
  readonly isCurrent: boolean;
}

type Word = 'archive' | 'soft_delete_backing_data' | 'restore_backing_data' | 'permanently_delete_backing_data';

const useAction = (id: string, word: Word, done: string) => {
  const { run } = useChange(() => api.post(`/configuration-versions/{id}/actions/${word}`, { path: { id } }), {
    done,
    outdates: outdated,
  });
  return () => run(undefined);
};

/** The actions that the caller may take, for the statuses that they begin from. */
export function VersionActions({ version: { id, attributes, links }, workspace, isCurrent }: Props) {
  const { permissions } = workspace.attributes;
  const archive = useAction(id, 'archive', 'The version is archived.');
  const softDelete = useAction(id, 'soft_delete_backing_data', 'The files are deleted, and can be restored.');
  const restore = useAction(id, 'restore_backing_data', 'The files are restored.');
  const destroy = useAction(id, 'permanently_delete_backing_data', 'The files are permanently deleted.');
  const isUploaded = attributes.status === 'uploaded';
  const isDeleted = attributes.status === 'backing_data_soft_deleted';
  const mayManage = permissions['can-manage-backing-data'];
  return (
    <div className="actions">
      {links.download !== undefined && <Download id={id} />}
      {isUploaded && !isCurrent && permissions['can-archive-configuration-version'] && (
        <Confirm
          trigger="Archive"
          triggerName={`Archive ${id}`}
          title={`Archive ${id}?`}
          confirm="Archive version"
          isDanger
          onConfirm={archive}
        >
          <p>Its files are discarded, and no run can use it again.</p>
        </Confirm>
      )}
      {isUploaded && !isCurrent && mayManage && (
        <Confirm
          trigger="Delete files"
          triggerName={`Delete files of ${id}`}
          title={`Delete the files of ${id}?`}
          confirm="Delete files"
          isDanger
          onConfirm={softDelete}
        >
          <p>They can be restored until they are permanently deleted.</p>
        </Confirm>
      )}
      {isDeleted && mayManage && (
        <>
          <Confirm
            trigger="Restore files"
            triggerName={`Restore files of ${id}`}
            title={`Restore the files of ${id}?`}
            confirm="Restore files"
            onConfirm={restore}
          />
          <Confirm
            trigger="Delete permanently"
            triggerName={`Delete permanently the files of ${id}`}
            title={`Permanently delete the files of ${id}?`}
            confirm="Delete permanently"
            isDanger
            typed={id}
            onConfirm={destroy}
          >
            <p>This cannot be undone.</p>
          </Confirm>
        </>
      )}
    </div>
  );
}

/** Saves the archive under the id of its version. */
async function save(id: string): Promise<void> {
  const response = await send(`/api/v2/configuration-versions/${encodeURIComponent(id)}/download`);
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = `${id}.tar.gz`;
  link.click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

function Download({ id }: { readonly id: string }) {
  const [isPending, setPending] = useState(false);
  const download = async (): Promise<void> => {
    setPending(true);
    try {
      await save(id);
      announce(`${id}.tar.gz was downloaded.`);
    } catch (problem) {
      // The policy of this page forbids other origins, to which the service may redirect.
      const isElsewhere = problem instanceof Problem && problem.status === 0 && (await serviceResponds());
      announce(
        isElsewhere
          ? 'The archive is stored at another address, from which this page cannot read. Download it through the API.'
          : String(problem instanceof Error ? problem.message : problem),
      );
    } finally {
      setPending(false);
    }
  };
  return (
    <Button aria-label={`Download ${id}`} isPending={isPending} onPress={() => void download()}>
      Download
    </Button>
  );
}
