import type { WireResponse } from '../service/operations.ts';
import type { AddedDevice } from './associations.ts';
import { orErrorObject } from './error-object.ts';
import type { Backend, Handler } from './handler.ts';

/** device/add: somebody else's device becomes a client of this network, or the device itself does. */
export function answerDeviceAdd(backend: Backend): Handler<'deviceAdd'> {
  return ({ request, network }) =>
    orErrorObject(() => toAnswer(backend, backend.associations.add(network.networkId, request.code)));
}

function toAnswer({ networks }: Backend, added: AddedDevice): WireResponse<'deviceAdd'> {
  if (added.type === 'share') {
    const { code, deviceName, networkId } = added.share;
    return {
      code_type: 'share',
      code,
      device_name: deviceName,
      associated_network_name: networks.find(networkId)?.networkName,
      client_id: added.clientId,
    };
  }
  const { code, deviceName, durationMinutes } = added.adoption;
  return { code_type: 'adopt', code, device_name: deviceName, duration_minutes: durationMinutes };
}
