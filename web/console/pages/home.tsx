import { addresses } from '../addresses.ts';
import type { Schemas } from '../api/client.ts';
import { useRead } from '../api/reading.ts';
import { pageOf, useAddressValues } from '../parts/address-values.ts';
import { NavLinks } from '../parts/nav-links.tsx';
import { Pager } from '../parts/pager.tsx';
import type { Params } from '../parts/params.ts';
import { OrganizationPage } from '../shell/organization-page.tsx';
import { Decisions } from './home/decisions.tsx';
import { EndingTokens } from './home/ending-tokens.tsx';
import { Failures } from './home/failures.tsx';
import { FirstSteps } from './home/first-steps.tsx';
import { WithoutAgent } from './home/without-agent.tsx';

/** Lists everything that waits for the person: in one organization, or with `of=all` in the address in all of them. */
export function HomePage({ params: { organization } }: Params<'organization'>) {
  const [{ of }, , hrefWith] = useAddressValues();
  const isOfAll = of === 'all';
  return (
    <OrganizationPage organization={organization} section="">
      {({ attributes }) => (
        <>
          <NavLinks
            label="Organizations shown"
            links={[
              { href: addresses.home(organization), label: 'This organization', current: isOfAll ? undefined : 'true' },
              { href: hrefWith({ of: 'all' }), label: 'All organizations', current: isOfAll ? 'true' : undefined },
            ]}
          />
          {isOfAll ? (
            <OfAll />
          ) : (
            <OfOne organization={organization} mayCreate={attributes.permissions?.['can-create-workspace'] === true} />
          )}
        </>
      )}
    </OrganizationPage>
  );
}

const isEmpty = ({ attributes }: Schemas['client.Attention']): boolean =>
  Object.values(attributes).every((list) => list['total-count'] === 0);

function OfOne({ organization, mayCreate }: { readonly organization: string; readonly mayCreate: boolean }) {
  const { data } = useRead('/organizations/{organization}/attention', { path: { organization } });
  if (isEmpty(data)) return <FirstSteps organization={organization} mayCreate={mayCreate} />;
  return <Lists attentions={[data]} isOfAll={false} />;
}

function OfAll() {
  const [values] = useAddressValues();
  const { data, meta } = useRead('/attention', { query: { 'page[number]': pageOf(values) } });
  return (
    <>
      {data.every(isEmpty) && (
        <div className="empty">
          <p>Nothing waits for you.</p>
        </div>
      )}
      <Lists attentions={data} isOfAll />
      {meta.pagination['total-pages'] > 1 && <Pager pagination={meta.pagination} what="Organizations" />}
    </>
  );
}

interface ListsProps {
  readonly attentions: readonly Schemas['client.Attention'][];
  readonly isOfAll: boolean;
}

const Lists = (props: ListsProps) => (
  <>
    <Decisions {...props} />
    <WithoutAgent {...props} />
    <Failures {...props} />
    <EndingTokens {...props} />
  </>
);
