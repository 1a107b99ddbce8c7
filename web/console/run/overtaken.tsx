import { included, type Schemas } from '../api/client.ts';
import { statusWords } from '../parts/status-words.ts';
import { Time } from '../parts/time.tsx';
import { useRunEvents } from './run-events.ts';

/** Says who decided before the person did. */
export function Overtaken({ runId }: { readonly runId: string }) {
  const { data } = useRunEvents(runId);
  const event = data?.data.findLast(({ relationships }) => relationships.actor.data !== null);
  const actor = included<Schemas['client.Member']>(data, 'users', event?.relationships.actor.data?.id);
  return (
    <p className="notice" role="alert">
      Your decision was not taken: the run had changed.
      {event !== undefined && (
        <>
          {' '}
          {statusWords.event[event.attributes.action][0]} by {actor?.attributes.username ?? 'a token'}{' '}
          <Time at={event.attributes['created-at']} />
        </>
      )}
    </p>
  );
}
