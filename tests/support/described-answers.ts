import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import supertest, { type Response } from 'supertest';
import { unlinkedIn } from './full-linkage.js';
import { published } from './published-description.js';
import { RecordedExamples } from './recorded-examples.js';

/** The fault in a value, in words; undefined when it fits. */
export const faultIn = (pointer: string, value: unknown): string | undefined => published.faultIn(pointer, value);

/** Served to browsers, and no part of the API. */
const undescribed = /^\/(session\/(sign-in|callback|link)|oauth\/(authorize|token)|docs\/?|assets\/.*|app(\/.*)?)?$/;

/** The part of a response that is not described; undefined when all of it is. */
export function undescribedIn(method: string, url: string, answer: Response): string | undefined {
  if (undescribed.test(url.split('?', 1)[0] ?? url)) return undefined;
  const { status, headers } = answer;
  return published.undescribedIn(method, url, { status, headers, text: textOf(answer) });
}

const textOf = ({ text, body }: Response): string => {
  if (typeof text === 'string') return text;
  return (body instanceof Uint8Array ? Buffer.from(body).toString() : JSON.stringify(body)) ?? '';
};

const examples = new RecordedExamples(process.env.RECORD_EXAMPLES !== undefined);

const isJson = /^application\/(vnd\.api\+)?json\b/;

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
}

/**
 * Records a response body that is JSON, and the body of a request that was granted. Throws if the response includes what
 * none of its relationships leads to.
 */
function noteExamples({ method, url, body }: Sent, answer: Response): void {
  const { status, headers } = answer;
  const place = published.placeOf(method, url, status);
  if (place === undefined || place.operationId.startsWith('describeApi')) return;
  const { operationId, reads, refusal } = place;
  if (reads && status < 300 && body !== undefined) {
    examples.note(`${operationId} request`, typeof body === 'string' ? JSON.parse(body) : body);
  }
  const text = isJson.test(headers['content-type'] ?? '') ? textOf(answer) : '';
  if (text === '') return;
  const document = JSON.parse(text);
  const unlinked = unlinkedIn(document);
  if (unlinked.length > 0) throw new Error(`included, and in no relationship with data: ${unlinked.join(', ')}`);
  if (refusal === undefined) examples.note(`${operationId} ${status}`, document);
  else examples.note(`${refusal} ${document.errors[0].title}`, document);
}

/** Every response to supertest is checked automatically, and fails its test when the description does not cover it. */
interface Asked {
  method: string;
  url: string;
  readonly _data?: unknown;
  assert(error: unknown, answer: Response | undefined, done: unknown): void;
}

/** The fault of an answer, as the error of its test. An `expect` of supertest would take the stack of each request. */
function faultOf({ method, url, _data: body }: Asked, answer: Response): unknown {
  const { pathname, search } = new URL(url);
  try {
    const fault = undescribedIn(method, pathname + search, answer);
    if (fault !== undefined) return new Error(`${method} ${pathname}: ${answer.status}: ${fault}`);
    noteExamples({ method, url: pathname, body }, answer);
    return undefined;
  } catch (error) {
    return error;
  }
}

const asked = (supertest as unknown as { readonly Test: { readonly prototype: Asked } }).Test.prototype;
const { assert } = asked;
asked.assert = function (error, answer, done) {
  const fault = answer?.headers['tfp-appname'] === 'Gatehouse' ? faultOf(this, answer) : undefined;
  if (fault === undefined) assert.call(this, error, answer, done);
  // Without an answer, supertest reports the error and judges nothing else.
  else assert.call(this, fault, undefined, done);
};

afterAll(() => {
  asked.assert = assert;
  const folder = process.env.GATEHOUSE_SEEN;
  if (folder !== undefined && published.seen.size > 0) {
    appendFileSync(join(folder, `${process.pid}.txt`), [...published.seen].map((line) => `${line}\n`).join(''));
    examples.write(folder);
    const described = join(folder, 'described.json');
    if (!existsSync(described)) writeFileSync(described, JSON.stringify(published.responses()));
  }
});
