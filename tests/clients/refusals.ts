/**
 * Every refusal that the real clients of the full tests meet, and why. A request that was served before and is refused now
 * is none of them.
 */
export const refusals: Readonly<Record<string, string>> = {
  'GET /organizations/:name/workspaces/:name 404': 'terraform looks whether it must create the workspace',
  'GET /workspaces/:id/current-state-version 404': 'terraform starts without a state',
  'POST /workspaces/:id/state-versions 409': 'states with an old serial, and without the lock',
  'POST /workspaces/:id/actions/lock 409': 'a lock that another holds',
  'GET /organizations/:name/authentication-token 404':
    'the provider looks whether there is a token that it would replace',
  'GET /teams/:id/authentication-token 404': 'the provider looks whether there is a token that it would replace',
  'PATCH /organizations/:name 422': 'switches that cannot be enforced',
  'GET /organizations/:name 404': 'a deleted organization',
  'GET /configuration-versions/:id 404': 'a version that is deleted, or never was',
  'GET /configuration-versions/:id/download 404': 'a version before its upload, and one whose data is deleted',
  'POST /configuration-versions/:id/actions/archive 409': 'the current version',
  'POST /configuration-versions/:id/actions/restore_backing_data 400': 'data that is permanently deleted',
  'GET /notification-configurations/:id 404': 'a deleted configuration',
  'POST /notification-configurations/:id/actions/verify 400': 'a receiver that refuses',
  'GET /run-triggers/:id 404': 'a deleted run trigger',
  'DELETE /run-triggers/:id 404': 'a run trigger that never was',
  'POST /workspaces/:id/run-triggers 422': 'a source that is connected already, and the workspace itself',
  'GET /policies/:id 404': 'a deleted policy',
  'GET /policies/:id/download 404': 'a policy without code',
  'POST /organizations/:name/policies 422': 'a name that is taken',
  'POST /policy-sets/:id/relationships/policies 422': 'policies of another kind',
  'POST /task-stages/:id/actions/override 409': 'a stage that passed',
  'POST /runs 422': 'a version before its upload',
  'POST /runs/:id/actions/force-cancel 409': 'a run that was not asked to stop',
  'POST /runs/:id/actions/force-execute 403': 'a run that waits for no other',
  'GET /workspaces/:id/vars/:id 404': 'a deleted variable',
  'POST /workspaces/:id/vars 422': 'a key that is taken',
  'PATCH /workspaces/:id/vars/:id 422': 'a variable that would no longer be sensitive',
};
