import { Link } from 'wouter';
import { addresses } from '../addresses.ts';
import { type Props as AttachmentProps, Attachments } from './attachments.tsx';
import { WorkspaceField, workspaceNamed } from './name-fields.tsx';

interface Props extends Pick<AttachmentProps, 'heading' | 'empty' | 'verbs' | 'items' | 'outdates' | 'more'> {
  readonly organization: string;
  readonly add: (workspaceId: string) => Promise<unknown>;
  readonly remove: (workspaceId: string) => Promise<unknown>;
}

/** The workspaces that something is attached to, with a form to attach it to more by their names. */
export const WorkspaceAttachments = ({ organization, add, ...rest }: Props) => (
  <Attachments
    {...rest}
    what="workspace"
    cell={({ name }) => <Link href={addresses.workspace(organization, name)}>{name}</Link>}
    add={async ({ name = '' }) => add(await workspaceNamed(organization, name))}
    field={<WorkspaceField organization={organization} />}
  />
);
