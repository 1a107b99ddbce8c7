import { DropZone, type FileDropItem, FileTrigger, Text } from 'react-aria-components';
import { Button } from './button.tsx';

/**
 * The reason why the service would refuse the file, from its first two bytes; the rest is checked as it arrives. `name` is
 * that of an archive in the advice.
 */
export async function archiveFault(file: File | undefined, name: string): Promise<string | undefined> {
  if (file === undefined) return 'Choose a .tar.gz archive first.';
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (first === 0x1f && second === 0x8b) return undefined;
  const kind = first === 0x50 && second === 0x4b ? 'a zip archive' : 'not a gzip archive';
  return `${file.name} is ${kind}. Pack the files with tar: tar czf ${name} -C FOLDER .`;
}

interface Props {
  readonly file: File | undefined;
  readonly onChoose: (file: File) => void;
  /** Why the file cannot be sent; shown below the place. */
  readonly fault: string | undefined;
}

/** A place to drop an archive, with a button for those who do not drag. */
export const ArchiveChoice = ({ file, onChoose, fault }: Props) => (
  <>
    <DropZone
      className="drop"
      onDrop={async ({ items }) => {
        const dropped = items.find((item): item is FileDropItem => item.kind === 'file');
        if (dropped !== undefined) onChoose(await dropped.getFile());
      }}
    >
      <Text slot="label">{file === undefined ? 'Drop a .tar.gz archive here.' : `Chosen: ${file.name}`}</Text>
      <FileTrigger
        acceptedFileTypes={['.tar.gz', '.tgz', 'application/gzip']}
        onSelect={(files) => {
          const chosen = files?.[0];
          if (chosen !== undefined) onChoose(chosen);
        }}
      >
        <Button>Choose a file</Button>
      </FileTrigger>
    </DropZone>
    {fault !== undefined && (
      <p role="alert" className="field-error">
        {fault}
      </p>
    )}
  </>
);
