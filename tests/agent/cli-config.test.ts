import { expect, it } from '@jest/globals';
import { withHost } from '../../src/agent/run/cli-config.js';

const services = { 'tfe.v2.1': 'http://127.0.0.1:8080/v1/shared-states/id/' };

it.each(['', 'plugin_cache_dir = "/cache"\n', 'credentials "app.example.com" {\n  token = "secret"\n}'])(
  'a configuration of terraform in its own language keeps its text: %j',
  (text) => {
    expect(withHost(text, 'gatehouse.example.com', services)).toBe(`${text}
host "gatehouse.example.com" {
  services = {
    "tfe.v2.1" = "http://127.0.0.1:8080/v1/shared-states/id/"
  }
}
credentials "gatehouse.example.com" {
  token = "none"
}
`);
  },
);

it('a configuration of terraform in JSON keeps its members', () => {
  const own = { plugin_cache_dir: '/cache', credentials: { 'app.example.com': { token: 'secret' } } };
  const text = withHost(` ${JSON.stringify(own)}`, 'gatehouse.example.com', services);
  expect(JSON.parse(text)).toEqual({
    ...own,
    host: { 'gatehouse.example.com': { services } },
    credentials: { ...own.credentials, 'gatehouse.example.com': { token: 'none' } },
  });
});
