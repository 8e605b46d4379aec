import type { Operation } from '../operation.ts';
import {
  leaderboardRequest,
  leaderboardResponse,
  providerLast90Request,
  providerLastNRequest,
  providerStatsResponse,
  providersLastNRequest,
  providersResponse,
} from '../schemas/stats.ts';

/** The operations below `/stats` (service-interface, "Endpoints"). */
export const statsOperations = {
  providers: {
    method: 'GET',
    path: '/stats/providers',
    authentication: 'network-jwt',
    repeat: 'always',
    request: undefined,
    response: providersResponse,
    judgedBy: 'client',
  },
  providersLastN: {
    method: 'POST',
    path: '/stats/providers-last-n',
    authentication: 'network-jwt',
    repeat: 'always',
    request: providersLastNRequest,
    response: providersResponse,
    judgedBy: 'client',
  },
  providerLastN: {
    method: 'POST',
    path: '/stats/provider-last-n',
    authentication: 'network-jwt',
    repeat: 'always',
    request: providerLastNRequest,
    response: providerStatsResponse,
    judgedBy: 'client',
  },
  providerLast90: {
    method: 'POST',
    path: '/stats/provider-last-90',
    authentication: 'network-jwt',
    repeat: 'always',
    request: providerLast90Request,
    response: providerStatsResponse,
    judgedBy: 'client',
  },
  leaderboard: {
    method: 'POST',
    path: '/stats/leaderboard',
    authentication: 'network-jwt',
    repeat: 'always',
    request: leaderboardRequest,
    response: leaderboardResponse,
    judgedBy: 'client',
  },
} as const satisfies Record<string, Operation>;
