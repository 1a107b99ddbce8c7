import { describe, expect, it } from '@jest/globals';
import { tokenLines } from '../../web/console/parts/token-lines.js';

const service = { host: 'gate-house.example.com', origin: 'https://gate-house.example.com' };
const textsOf = (...call: Parameters<typeof tokenLines>) => tokenLines(...call).map(({ text }) => text);

describe('the lines that use a token', () => {
  it('name the host as terraform reads it from the environment', () => {
    expect(textsOf('client', service, 'abc')).toContain('export TF_TOKEN_gate__house_example_com=abc');
  });

  it('leave out the variable for a host with a port, which no variable can name', () => {
    const texts = textsOf('client', { host: 'localhost:8443', origin: 'https://localhost:8443' }, 'abc');
    expect(texts[0]).toBe('credentials "localhost:8443" {\n  token = "abc"\n}');
    expect(texts.join()).not.toContain('TF_TOKEN');
  });

  it('start an agent with an agent token', () => {
    expect(textsOf('agent', service, 'abc')).toEqual([
      'GATEHOUSE_URL=https://gate-house.example.com AGENT_TOKEN=abc gatehouse-agent',
    ]);
  });
});
