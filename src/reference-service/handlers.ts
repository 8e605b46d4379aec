import { accountHandlers } from './answer-account.ts';
import { clientHandlers } from './answer-clients.ts';
import { deviceHandlers } from './answer-device.ts';
import { networkHandlers } from './answer-network.ts';
import { placeHandlers } from './answer-places.ts';
import { providerStatisticsHandlers } from './answer-provider-statistics.ts';
import { providerHandlers } from './answer-providers.ts';
import type { Handlers } from './backend.ts';

/** The service's side of the operations table. */
export const handlers: Handlers = {
  ...accountHandlers,
  ...clientHandlers,
  ...deviceHandlers,
  ...networkHandlers,
  ...placeHandlers,
  ...providerHandlers,
  ...providerStatisticsHandlers,
};
