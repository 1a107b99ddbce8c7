import { useEffect, useRef, useState } from 'react';
import { DialogTrigger } from 'react-aria-components';
import { api } from '../api/client.ts';
import { ownAddress } from '../api/own-address.ts';
import { isPassing } from '../api/problem.ts';
import { ArchiveChoice, archiveFault } from '../parts/archive-choice.tsx';
import { Button } from '../parts/button.tsx';
import { useChange } from '../parts/change.ts';
import { ModalDialog } from '../parts/confirm.tsx';
import { EntryForm } from '../parts/entry-form.tsx';
import { CheckField } from '../parts/field.tsx';
import { outdatedByVersions } from './outdated.ts';
import { upload } from './upload.ts';

export const NewVersion = ({ workspaceId }: { readonly workspaceId: string }) => (
  <DialogTrigger>
    <Button>Upload configuration</Button>
    <ModalDialog title="Upload configuration">
      {(close) => <UploadForm workspaceId={workspaceId} close={close} />}
    </ModalDialog>
  </DialogTrigger>
);

interface Props {
  readonly workspaceId: string;
  /** For a form in a dialog; called after the upload too. */
  readonly close?: () => void;
}

interface Wanted {
  readonly archive: File;
  readonly attributes: Readonly<Record<string, boolean>>;
}

/** A version whose upload was interrupted: the next attempt goes on with it, if it is for the same. */
interface Begun extends Wanted {
  readonly id: string;
  readonly url: string;
}

const isFor = (begun: Begun, { archive, attributes }: Wanted): boolean =>
  begun.archive === archive && JSON.stringify(begun.attributes) === JSON.stringify(attributes);

const isUploaded = async (id: string): Promise<boolean> =>
  (await api.get('/configuration-versions/{id}', { path: { id } })).data.attributes.status === 'uploaded';

/** Uploads an archive as a configuration version; its run starts if that is wanted. */
export function UploadForm({ workspaceId, close }: Props) {
  const [file, setFile] = useState<File>();
  const [fault, setFault] = useState<string>();
  const [share, setShare] = useState<number>();
  const last = useRef<Begun>(undefined);
  const running = useRef<AbortController>(undefined);
  // Closing the dialog ends the upload. A form on a page disappears when the service reports the version.
  const isInDialog = close !== undefined;
  useEffect(
    () => () => {
      if (isInDialog) running.current?.abort();
    },
    [isInDialog],
  );
  const begin = async (wanted: Wanted): Promise<Begun> => {
    const { data } = await api.post('/workspaces/{workspaceId}/configuration-versions', {
      path: { workspaceId },
      body: { data: { type: 'configuration-versions', attributes: wanted.attributes } },
    });
    return { ...wanted, id: data.id, url: ownAddress(data.attributes['upload-url']) };
  };
  const create = useChange(
    async (wanted: Wanted) => {
      const before = last.current;
      last.current = undefined;
      const isAgain = before !== undefined && isFor(before, wanted);
      // The files may have come, and the response not.
      if (isAgain && (await isUploaded(before.id))) return before.id;
      const version = isAgain ? before : await begin(wanted);
      running.current = new AbortController();
      setShare(0);
      try {
        await upload(version.url, wanted.archive, { progress: setShare, signal: running.current.signal });
      } catch (problem) {
        if (isPassing(problem)) last.current = version;
        throw problem;
      }
      return version.id;
    },
    { done: (id) => `${id} was uploaded.`, outdates: outdatedByVersions },
  );
  return (
    <EntryForm
      submit="Upload"
      isPending={create.isPending}
      problem={create.problem}
      {...(close !== undefined && { onCancel: close })}
      onSubmit={async (values) => {
        const wrong = await archiveFault(file, 'configuration.tar.gz');
        setFault(wrong);
        if (file === undefined || wrong !== undefined) return;
        const attributes = {
          'auto-queue-runs': values.run === 'on',
          speculative: values.speculative === 'on',
          provisional: values.provisional === 'on',
        };
        await create.run({ archive: file, attributes });
        close?.();
      }}
    >
      <ArchiveChoice file={file} onChoose={setFile} fault={fault} />
      <CheckField name="run" label="Start a run when it is uploaded" isChecked />
      <CheckField name="speculative" label="Speculative: for plans only" />
      <CheckField name="provisional" label="Provisional: does not become the current version" />
      {create.isPending && share !== undefined && (
        <label className="field">
          <span>Upload</span>
          <progress value={share} max={1} /> {Math.floor(share * 100)} %
        </label>
      )}
    </EntryForm>
  );
}
