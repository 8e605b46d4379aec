import type { Operation } from '../operation.ts';
import {
  codeCreateRequest,
  codeCreateResponse,
  codeLoginRequest,
  codeLoginResponse,
  passwordSetRequest,
  passwordSetResponse,
  upgradeGuestRequest,
  upgradeGuestResponse,
} from '../schemas/auth.ts';

/** The operations below `/auth` (service-interface, "Endpoints"). */
export const authOperations = {
  codeCreate: {
    method: 'POST',
    path: '/auth/code-create',
    authentication: 'network-jwt',
    repeat: 'unsent',
    request: codeCreateRequest,
    response: codeCreateResponse,
    judgedBy: 'client',
  },
  codeLogin: {
    method: 'POST',
    path: '/auth/code-login',
    authentication: 'none',
    repeat: 'unsent',
    request: codeLoginRequest,
    response: codeLoginResponse,
    judgedBy: 'client',
  },
  passwordSet: {
    method: 'POST',
    path: '/auth/password-set',
    authentication: 'none',
    repeat: 'unsent',
    request: passwordSetRequest,
    response: passwordSetResponse,
    judgedBy: 'client',
  },
  upgradeGuest: {
    method: 'POST',
    path: '/auth/upgrade-guest',
    authentication: 'guest-jwt',
    repeat: 'unsent',
    request: upgradeGuestRequest,
    response: upgradeGuestResponse,
    judgedBy: 'client',
  },
} as const satisfies Record<string, Operation>;
