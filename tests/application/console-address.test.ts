import { describe, expect, it } from '@jest/globals';
import { consoleAddress } from '../../src/infrastructure/console-address.js';

const at = (publicUrl: string, isTerminal: boolean, code: string | undefined = 'the-code') =>
  consoleAddress({ publicUrl, firstSignInCode: async () => code }, isTerminal);

describe('the address of the console at the start', () => {
  it.each(['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080', 'https://127.9.9.9/below'])(
    'signs the first person in at a terminal, at %s',
    async (url) => {
      expect(await at(url, true)).toBe(`${url}/app/sign-in#code=the-code`);
      expect(await at(url, false)).toBe(`${url}/app`);
      expect(await consoleAddress({ publicUrl: url, firstSignInCode: async () => undefined }, true)).toBe(`${url}/app`);
    },
  );

  it.each([
    'https://gatehouse.example',
    'http://192.168.0.1:8080',
    'http://localhost.example',
    'http://127.0.0.1.example',
  ])('has no link at %s, and asks for no code', async (url) => {
    const asked: string[] = [];
    const firstSignInCode = async () => {
      asked.push(url);
      return 'the-code';
    };
    expect(await consoleAddress({ publicUrl: url, firstSignInCode }, true)).toBe(`${url}/app`);
    expect(asked).toEqual([]);
  });
});
