import type { Operation } from '../operation.ts';
import {
  createShareCodeRequest,
  createShareCodeResponse,
  deviceAddRequest,
  deviceAddResponse,
  deviceAssociationsResponse,
  setProvideRequest,
  setProvideResponse,
} from '../schemas/device.ts';

/** The operations below `/device` (service-interface, "Endpoints"). */
export const deviceOperations = {
  createShareCode: {
    method: 'POST',
    path: '/device/create-share-code',
    authentication: 'network-jwt',
    repeat: 'unsent',
    request: createShareCodeRequest,
    response: createShareCodeResponse,
    judgedBy: 'client',
  },
  deviceAdd: {
    method: 'POST',
    path: '/device/add',
    authentication: 'network-jwt',
    repeat: 'unsent',
    request: deviceAddRequest,
    response: deviceAddResponse,
    judgedBy: 'client',
  },
  deviceAssociations: {
    method: 'GET',
    path: '/device/associations',
    authentication: 'network-jwt',
    repeat: 'always',
    request: undefined,
    response: deviceAssociationsResponse,
    judgedBy: 'client',
  },
  setProvide: {
    method: 'POST',
    path: '/device/set-provide',
    authentication: 'network-jwt',
    repeat: 'always',
    request: setProvideRequest,
    response: setProvideResponse,
    judgedBy: 'client',
  },
} as const satisfies Record<string, Operation>;
