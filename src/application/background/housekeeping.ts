import { bind } from '../assembly.js';
import { AddUpOutcomes } from './add-up-outcomes.js';
import { AdvanceFills } from './advance-fills.js';
import { ExchangeRequestRates } from './exchange-request-rates.js';
import { ExpireTeamAccess } from './expire-team-access.js';
import { RemoveLeftovers } from './remove-leftovers.js';
import { StoredSecrets } from './stored-secrets.js';
import { TakeSnapshot } from './take-snapshot.js';

/** The use cases that are not published: only the service itself asks for them. */
export const housekeeping = {
  addUpOutcomes: bind(AddUpOutcomes, 'unitOfWork', 'clock'),
  advanceFills: bind(AdvanceFills, 'unitOfWork'),
  expireTeamAccess: bind(ExpireTeamAccess, 'unitOfWork'),
  removeLeftovers: bind(RemoveLeftovers, 'unitOfWork', 'bundleStore'),
  storedSecrets: bind(StoredSecrets, 'unitOfWork', 'clock', 'secretBox'),
  exchangeRequestRates: bind(ExchangeRequestRates, 'unitOfWork', 'clock', 'ids'),
  takeSnapshot: bind(TakeSnapshot, 'unitOfWork', 'clock'),
};
