/** Writes the types of the API that the console calls, from the description that the service serves. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import { describeApi } from '../src/adapters/http/openapi/served-api.js';

const file = fileURLToPath(new URL('../web/console/api/description.d.ts', import.meta.url));

const kept = (): string | undefined => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
};

const description = await describeApi('self-hosted', '', 'client');
const head = '// Printed by scripts/console-types.ts from the API description; not in Git.\n';
const text = head + astToString(await openapiTS(JSON.parse(JSON.stringify(description))));
if (text !== kept()) writeFileSync(file, text);
