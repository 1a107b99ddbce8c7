import type { Request } from 'express';
import { RequestError } from '../../routing/request-error.js';

/** How browsers reach the service, and whether people may sign in with them. */
export interface Browsers {
  /** Whether an identity provider is configured. Without one, a user token makes a session. */
  readonly signIn: boolean;
  /** Without a slash at its end. It may have a path. */
  readonly publicUrl: string;
}

/** A header that pages of other origins cannot send unasked. */
export const consoleHeader = 'X-Gatehouse-Console';

const crossSite = (origin: string): RequestError =>
  new RequestError(403, 'forbidden', [
    {
      detail: `a request that begins a session, or is authenticated by one and changes something, needs the header ${consoleHeader}: 1, and an Origin or Sec-Fetch-Site header that names this service, which is at ${origin}`,
    },
  ]);

/** Whether a page of this service sent the request. Scripts cannot set or change either header. */
const isSameOrigin = ({ headers }: Request, publicUrl: string): boolean =>
  headers.origin === new URL(publicUrl).origin || headers['sec-fetch-site'] === 'same-origin';

/** Throws a 403 for a request that changes something and that a page of another origin may have sent. */
export function checkSameOrigin(request: Request, { publicUrl }: Browsers): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  if (request.get(consoleHeader) === '1' && isSameOrigin(request, publicUrl)) return;
  throw crossSite(new URL(publicUrl).origin);
}

/** Cookies are short: longer values are not ours. */
const longest = 4_096;

/** A cookie that no script can read, and that no page of another site sends with a request but a navigation. */
class Cookie {
  readonly name: string;
  private readonly secure: boolean;

  constructor(name: string, { publicUrl }: Browsers) {
    this.secure = publicUrl.startsWith('https:');
    // Browsers refuse the prefix without `Secure`, which they keep from plain http.
    this.name = this.secure ? `__Host-${name}` : name;
  }

  read({ headers }: Request): string | undefined {
    const { cookie } = headers;
    if (cookie === undefined) return undefined;
    const begin = `${this.name}=`;
    const found = cookie.split(';').find((part) => part.trimStart().startsWith(begin));
    const value = found?.trim().slice(begin.length);
    return value === undefined || value === '' || value.length > longest ? undefined : value;
  }

  /** The value of a `Set-Cookie` header. `value` has only characters that need no quoting. */
  written(value: string, seconds: number): string {
    const secure = this.secure ? '; Secure' : '';
    return `${this.name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
  }

  removed(): string {
    return this.written('', 0);
  }
}

/** The session of a person who is signed in. */
export const sessionCookie = (browsers: Browsers): Cookie => new Cookie('gatehouse-session', browsers);

/** A sign-in between the request that begins it and the provider's answer. */
export const pendingCookie = (browsers: Browsers): Cookie => new Cookie('gatehouse-sign-in', browsers);
