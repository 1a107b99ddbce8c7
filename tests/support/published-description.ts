import { describeApi } from '../../src/adapters/http/openapi/served-api.js';
import { packageVersion } from '../../src/infrastructure/package-version.js';
import { Description } from './description.js';

/** The description that the service serves as `/openapi.json`. A process makes it once. */
export const described = await describeApi('self-hosted', packageVersion());

export const published = new Description(described);
