import { describeApi } from '../../src/adapters/http/openapi/served-api.js';
import { Description } from './description.js';

/** The description that the service serves as `/openapi.json`. A process compiles it once. */
export const published = new Description(describeApi('self-hosted', '0.0.0'));
