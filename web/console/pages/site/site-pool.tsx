import { useLocation } from 'wouter';
import { addresses } from '../../addresses.ts';
import { AgentTokens } from '../../agents/agent-tokens.tsx';
import { contactInterval } from '../../agents/contact.ts';
import { api, type Schemas } from '../../api/client.ts';
import { usePolled, useRead } from '../../api/reading.ts';
import { pageOf, useAddressValues } from '../../parts/address-values.ts';
import { useChange } from '../../parts/change.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { DangerZone } from '../../parts/danger-zone.tsx';
import { Field } from '../../parts/field.tsx';
import type { Params } from '../../parts/params.ts';
import { SettingsCard } from '../../parts/settings-card.tsx';
import { SitePage } from '../../shell/site-page.tsx';

type Pool = Schemas['client.SiteAgentPool'];

const one = '/admin/agent-pools/{id}';
const list = '/admin/agent-pools';
const tokensPath = '/admin/agent-pools/{sitePoolId}/authentication-tokens';

export function SitePoolPage({ params: { id } }: Params<'id'>) {
  const [values] = useAddressValues();
  const { data: pool } = useRead(one, { path: { id } });
  const path = { sitePoolId: id };
  const tokens = usePolled(tokensPath, { path, query: { 'page[number]': pageOf(values) } }, contactInterval);
  return (
    <SitePage tab="agent-pools" title={pool.attributes.name}>
      <AgentTokens
        tokens={tokens}
        issue={(description) =>
          api.post(tokensPath, { path, body: { data: { type: 'authentication-tokens', attributes: { description } } } })
        }
        outdates={[tokensPath]}
      />
      <Settings key={pool.attributes.name} pool={pool} />
      <DangerZone>
        <RemovePool pool={pool} />
      </DangerZone>
    </SitePage>
  );
}

const Settings = ({ pool: { id, attributes } }: { readonly pool: Pool }) => (
  <SettingsCard
    save={({ name = '' }) =>
      api.patch(one, { path: { id }, body: { data: { type: 'agent-pools', attributes: { name } } } })
    }
    done="The agent pool was changed."
    outdates={[one, list]}
  >
    <Field label="Name" name="name" isRequired defaultValue={attributes.name} />
  </SettingsCard>
);

function RemovePool({ pool }: { readonly pool: Pool }) {
  const [, navigate] = useLocation();
  const remove = useChange(() => api.delete(one, { path: { id: pool.id } }), {
    done: 'The agent pool was deleted.',
    outdates: [list],
  });
  return (
    <Confirm
      trigger="Delete pool"
      title={`Delete ${pool.attributes.name}?`}
      confirm="Delete agent pool"
      kind="danger"
      isDanger
      onConfirm={async () => {
        await remove.run(undefined);
        navigate(addresses.site('agent-pools'));
      }}
    >
      <p>Its tokens are revoked.</p>
    </Confirm>
  );
}
