import { Link } from 'wouter';
import { addresses } from '../../addresses.ts';
import type { Schemas } from '../../api/client.ts';
import { Time } from '../../parts/time.tsx';
import { earlierFirst, type Item, listed } from './attention.ts';
import { AttentionList } from './attention-list.tsx';

type Token = Item<'tokens'>;

interface Props {
  readonly attentions: readonly Schemas['client.Attention'][];
  readonly isOfAll: boolean;
}

/** Tokens that the person can replace before they end. */
export const EndingTokens = ({ attentions, isOfAll }: Props) => (
  <AttentionList
    title="Tokens that end soon"
    isOfAll={isOfAll}
    list={listed(attentions, 'tokens', (one, other) => earlierFirst(one['expired-at'], other['expired-at']))}
    columns={[
      { head: 'Token', cell: (token) => <Link href={pageOf(token)}>{nameOf(token)}</Link> },
      { head: 'Description', cell: ({ description }) => description || <span className="quiet">none</span> },
      { head: 'Ends', cell: (token) => <Time at={token['expired-at']} /> },
    ]}
  />
);

const names = {
  user: 'Your token',
  team: 'Token of a team',
  organization: 'Token of the organization',
  auditor: 'Audit token',
} as const satisfies Readonly<Record<Token['kind'], string>>;

const nameOf = ({ kind, 'team-name': team }: Token): string =>
  team === null ? names[kind] : `Token of the team ${team}`;

/** The page on which it is issued again. */
function pageOf({ kind, organization, 'owner-id': owner }: Token): string {
  if (kind === 'user') return addresses.userTokens;
  return kind === 'team'
    ? addresses.inSection(organization, 'teams', owner)
    : addresses.inOrganization(organization, 'tokens');
}
