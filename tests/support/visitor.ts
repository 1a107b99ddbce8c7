import type { Test } from 'supertest';
import type { TestApi } from './api.js';

/** A provider on this machine that a test controls. */
interface Provider<Person> {
  /** Who signs in next; null refuses. */
  person: Person | null;
  /** Follows the browser through the provider, and returns the URL it is sent back to. */
  visit(url: string): Promise<URL>;
}

/** A person's browser: keeps cookies, and follows the redirects of a sign-in. */
export class Visitor<Person = object> {
  readonly cookies = new Map<string, string>();

  constructor(
    private readonly api: TestApi,
    private readonly provider?: Provider<Person>,
  ) {}

  /** A request with the browser's cookies, as a page of the service sends it. */
  send(method: 'get' | 'post' | 'patch' | 'put' | 'delete', path: string, body?: object): Test {
    return this.bare(method, path, body).set({ 'Sec-Fetch-Site': 'same-origin', 'X-Gatehouse-Console': '1' });
  }

  get(path: string): Test {
    return this.send('get', path);
  }

  /** The same as a page of any other origin sends it. */
  bare(method: 'get' | 'post' | 'patch' | 'put' | 'delete', path: string, body?: object): Test {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const test = this.api.anonymous.send(method, path, body).set('Cookie', cookie);
    // The assertions of a test keep what the answer sets.
    return test.expect(({ headers }) => this.keep((headers['set-cookie'] ?? []) as unknown as readonly string[]));
  }

  /** A form of a page. */
  submit(path: string, fields: Readonly<Record<string, string>>): Test {
    const form = new URLSearchParams(fields).toString();
    return this.bare('post', path).set('Content-Type', 'application/x-www-form-urlencoded').send(form);
  }

  /** To the provider, as the person, and back to the callback, which is not called yet. */
  async leave(person: Person | null, path = '/session/sign-in'): Promise<string> {
    const { provider } = this;
    if (provider === undefined) throw new Error('this browser has no provider');
    provider.person = person;
    const begun = await this.get(path).expect(303);
    const { pathname, search } = await provider.visit(begun.headers.location as string);
    return pathname + search;
  }

  async signIn(person: Person): Promise<void> {
    await this.get(await this.leave(person)).expect(303);
  }

  private keep(set: readonly string[]): void {
    for (const one of set) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(one) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}
