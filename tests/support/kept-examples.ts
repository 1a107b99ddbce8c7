import { readFileSync } from 'node:fs';

/** Which example an answer is one of: `operation status`, `operation request` or `response title`. */
export type Key = string;

const file = new URL('../../src/adapters/http/openapi/examples.json', import.meta.url);

export const recordedExamples: Readonly<Record<Key, unknown>> = JSON.parse(readFileSync(file, 'utf8'));
