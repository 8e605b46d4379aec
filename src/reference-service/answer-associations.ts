import { toWireList } from './dialect.ts';
import type { Backend, Handler } from './handler.ts';
import type { SharedDevice } from './shares.ts';

/** device/associations: what the network hands over, is shown, and shows to others. */
export function answerDeviceAssociations({ dialect, associations }: Backend): Handler<'deviceAssociations'> {
  return ({ network }) => {
    const { adoptions, incoming, outgoing } = associations.list(network.networkId);
    const pending = adoptions.map(({ code, deviceName, durationMinutes }) => ({
      code,
      device_name: deviceName,
      duration_minutes: durationMinutes,
    }));
    return {
      pending_adoption_devices: toWireList(dialect, pending),
      incoming_shared_devices: toWireList(dialect, incoming.map(toWireShare)),
      outgoing_shared_devices: toWireList(dialect, outgoing.map(toWireShare)),
    };
  };
}

function toWireShare({ code, deviceName, clientId, networkName }: SharedDevice) {
  return {
    pending: networkName === null,
    code,
    device_name: deviceName,
    client_id: clientId,
    ...(networkName === null ? {} : { network_name: networkName }),
  };
}
