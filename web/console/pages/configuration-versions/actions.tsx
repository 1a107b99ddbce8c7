import { api, type Schemas, send } from '../../api/client.ts';
import { announce } from '../../parts/announce.tsx';
import { useChange } from '../../parts/change.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { MenuAction, RowMenu } from '../../parts/row-menu.tsx';
import { outdatedByVersions } from '../../workspace/outdated.ts';
import type { Workspace } from '../../workspace/workspace.ts';

interface Props {
  readonly version: Schemas['client.ConfigurationVersion'];
  readonly workspace: Workspace;
  readonly isCurrent: boolean;
}

type Word = 'archive' | 'soft_delete_backing_data' | 'restore_backing_data' | 'permanently_delete_backing_data';

const useAction = (id: string, word: Word, done: string) => {
  const { run } = useChange(() => api.post(`/configuration-versions/{id}/actions/${word}`, { path: { id } }), {
    done,
    outdates: outdatedByVersions,
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
  const mayDownload = links.download !== undefined;
  const mayChange = isUploaded && !isCurrent && (mayManage || permissions['can-archive-configuration-version']);
  if (!mayDownload && !mayChange && !(isDeleted && mayManage)) return null;
  return (
    <RowMenu of={id}>
      {mayDownload && <MenuAction label="Download" name={`Download ${id}`} onAction={() => void download(id)} />}
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
    </RowMenu>
  );
}

/**
 * Lets the browser save the archive from the store, which may be of another origin: the policy of this page forbids only
 * that its scripts read from there.
 */
async function save(id: string): Promise<void> {
  const response = await send(`/api/v2/configuration-versions/${encodeURIComponent(id)}/download?redirect=false`);
  const { url } = (await response.json()) as { readonly url: string };
  const link = document.createElement('a');
  link.href = url;
  link.download = '';
  link.click();
}

async function download(id: string): Promise<void> {
  try {
    await save(id);
    announce(`The download of ${id} has begun.`);
  } catch (problem) {
    announce(String(problem instanceof Error ? problem.message : problem));
  }
}
