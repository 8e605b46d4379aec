import { toProvideMode } from '../service/profiles.ts';
import type { Adoption, SharedDevice } from './associations.ts';
import type { Handlers } from './backend.ts';
import { refuse } from './refusal.ts';

export const deviceHandlers = {
  createShareCode({ associations }, { request, network: { networkId } }) {
    const offer = { networkId, clientId: request.client_id, deviceName: request.device_name };
    return { share_code: associations.createShareCode(offer) };
  },

  /** Makes another network's device a client of this network, or moves the device itself here. */
  deviceAdd({ associations, networks }, { request, network }) {
    const added = associations.add(network.networkId, request.code);
    if (added.type === 'adopt') {
      // An adoption is for good, so no limit is named. The code's own is over.
      const { code, deviceName } = added.adoption;
      return { code_type: 'adopt', code, device_name: deviceName };
    }
    const { code, deviceName, networkId } = added.share;
    const associated_network_name = networks.find(networkId)?.networkName;
    return {
      code_type: 'share',
      code,
      device_name: deviceName,
      associated_network_name,
      client_id: added.clientId,
    };
  },

  deviceAssociations({ associations }, { network }) {
    const { adoptions, incoming, outgoing } = associations.list(network.networkId);
    return {
      pending_adoption_devices: adoptions.map(toWireAdoption),
      incoming_shared_devices: incoming.map(toWireShare),
      outgoing_shared_devices: outgoing.map(toWireShare),
    };
  },

  /** The mode is stored, and consumers' traffic follows it, before the answer is sent. */
  async setProvide({ profile, clients, reconcile }, { request, network }) {
    const mode = toProvideMode(profile, request.provide_mode);
    if (mode === undefined) throw refuse(`Unknown provide mode ${request.provide_mode}.`);
    const client = clients.get(network.networkId, request.client_id);
    clients.setProvideMode(client.clientId, mode);
    await reconcile();
    return { provide_mode: request.provide_mode };
  },
} satisfies Partial<Handlers>;

function toWireAdoption({ code, deviceName, durationMinutes }: Adoption) {
  return { code, device_name: deviceName, duration_minutes: durationMinutes };
}

function toWireShare({ code, deviceName, clientId, networkName }: SharedDevice) {
  return {
    pending: networkName === null,
    code,
    device_name: deviceName,
    client_id: clientId,
    network_name: networkName ?? undefined,
  };
}
