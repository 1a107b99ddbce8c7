// A run task: a server that Gatehouse calls at stages of runs. It needs Node alone.
//
//   HMAC_KEY=… PORT=8099 node server.mjs
//
// It reads the redacted plan and fails runs that destroy more than MOST_DESTROYED resources (by default 0).
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const { HMAC_KEY = '', PORT = '8099', MOST_DESTROYED = '0' } = process.env;

/** Whether the body was signed with the key of the task. */
function isSigned(body, signature = '') {
  if (HMAC_KEY === '') return true;
  const expected = createHmac('sha512', HMAC_KEY).update(body).digest();
  const given = Buffer.from(signature, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function report(call, attributes, outcomes = []) {
  const answer = await fetch(call.task_result_callback_url, {
    method: 'PATCH',
    headers: { Authorization: `Bearer ${call.access_token}`, 'Content-Type': 'application/vnd.api+json' },
    body: JSON.stringify({
      data: {
        type: 'task-results',
        attributes,
        relationships: {
          outcomes: { data: outcomes.map((one) => ({ type: 'task-result-outcomes', attributes: one })) },
        },
      },
    }),
  });
  if (!answer.ok) throw new Error(`the result was refused with ${answer.status}: ${await answer.text()}`);
}

/** The addresses of the resources that the plan destroys; none before the plan. */
async function destroyedBy(call) {
  if (call.plan_json_api_url === undefined) return [];
  const answer = await fetch(call.plan_json_api_url, { headers: { Authorization: `Bearer ${call.access_token}` } });
  if (!answer.ok) throw new Error(`the plan was refused with ${answer.status}`);
  const { resource_changes: changes = [] } = await answer.json();
  return changes.filter(({ change }) => change.actions.includes('delete')).map(({ address }) => address);
}

async function judge(call) {
  await report(call, { status: 'running', message: 'Reading the plan' });
  const destroyed = await destroyedBy(call);
  const passes = destroyed.length <= Number(MOST_DESTROYED);
  await report(
    call,
    { status: passes ? 'passed' : 'failed', message: `${destroyed.length} resources are destroyed` },
    destroyed.map((address) => ({
      'outcome-id': address,
      description: `${address} is destroyed`,
      tags: { Severity: [{ label: 'High', level: passes ? 'warning' : 'error' }] },
    })),
  );
}

const server = createServer(async (request, response) => {
  const body = await bodyOf(request);
  if (request.method !== 'POST' || !isSigned(body, request.headers['x-tfc-task-signature'])) {
    response.writeHead(401).end();
    return;
  }
  // Accept first: the service does not wait for the result here.
  response.writeHead(200).end();
  const call = JSON.parse(body.toString());
  console.log(`${call.stage} of ${call.run_id} in ${call.workspace_name}`);
  judge(call).catch((error) => console.error(error.message));
});

server.listen(Number(PORT), '127.0.0.1', () => console.log(`listening on port ${server.address().port}`));
