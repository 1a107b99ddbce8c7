import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The minimal Node server, as the floor of every measurement. */
const body = JSON.stringify({ status: 'ok' });
const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length };

const server = createServer((_request, response) => {
  response.writeHead(200, headers).end(body);
});
server.listen(0, '127.0.0.1', () => {
  process.stderr.write(`serves at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
