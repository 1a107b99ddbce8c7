import { api } from '../../api/client.ts';
import { useMaybeRead } from '../../api/reading.ts';
import { useChange } from '../../parts/change.ts';
import { SingleToken } from '../../parts/single-token.tsx';

const path = '/teams/{teamId}/authentication-token';
const reads = [path, '/organizations/{organization}/team-tokens'] as const;

interface Props {
  readonly organization: string;
  readonly teamId: string;
}

export function TeamToken({ organization, teamId }: Props) {
  const read = useMaybeRead(path, { path: { teamId } });
  const issue = useChange(
    (expiredAt: string | null) =>
      api.post(path, {
        path: { teamId },
        body: { data: { type: 'authentication-token', attributes: { 'expired-at': expiredAt } } },
      }),
    { done: 'The team token was issued.', outdates: reads },
  );
  const revoke = useChange(() => api.delete(path, { path: { teamId } }), {
    done: 'The team token was revoked.',
    outdates: reads,
  });
  return (
    <SingleToken
      organization={organization}
      name="Team token"
      use="client"
      about="For pipelines and other programs. It has the permissions of the team."
      read={read}
      issue={issue}
      revoke={revoke}
    />
  );
}
