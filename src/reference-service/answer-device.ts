import { toProvideMode } from '../service/profiles.ts';
import type { Adoption, SharedDevice } from './associations.ts';
import type { Handlers } from './backend.ts';
import { checkLine, refuse } from './refusal.ts';

export const deviceHandlers = {
  createShareCode({ associations }, { request, network: { networkId } }) {
    const offer = { networkId, clientId: request.client_id, deviceName: request.device_name };
    return { share_code: associations.createShareCode(offer) };
  },

  /** Makes another network's device a client of this network, or moves the device itself here. */
  deviceAdd({ associations, networks, pairings }, { request, network }) {
    // The device itself confirms afterwards, and becomes a client only then.
    const taken = pairings.take(network.networkId, request.code);
    if (taken !== undefined)
      return { code_type: 'adopt', code: taken.code, device_name: taken.deviceName };
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

  confirmShare({ associations }, { request, network: { networkId } }) {
    const { share_code: code, associated_network_name: name } = request;
    return { associated_network_name: associations.confirm(networkId, code, name) };
  },

  /** The client that a shared device was given goes with the share, and its tunnel. */
  async removeAssociation({ associations, pairings, reconcile }, { request, network }) {
    if (pairings.giveBack(network.networkId, request.code)) return {};
    associations.remove(network.networkId, request.code);
    await reconcile();
    return {};
  },

  setDeviceName({ clients }, { request, network }) {
    checkLine('A device name', request.device_name, [1, 100]);
    if (!clients.rename(network.networkId, request.device_id, request.device_name))
      throw refuse('The network has no such device.');
    return {};
  },

  createAdoptCode({ pairings }, { request }) {
    const { device_name: deviceName, device_spec: deviceSpec = '' } = request;
    const { code, secret, durationMinutes } = pairings.create({ deviceName, deviceSpec });
    return { adopt_code: code, adopt_secret: secret, duration_minutes: durationMinutes };
  },

  adoptStatus({ pairings }, { request }) {
    const { networkName } = pairings.readStatus(request.adopt_code);
    return { pending: true, associated_network_name: networkName ?? undefined };
  },

  async confirmAdopt({ pairings, networks, tokens, presence }, { request }) {
    const client = pairings.confirm({
      code: request.adopt_code,
      secret: request.adopt_secret,
      networkName: request.associated_network_name,
    });
    presence.noteAuthentication(client.clientId);
    const network = networks.find(client.networkId);
    if (network === undefined) throw refuse('The network is gone.');
    return { by_client_jwt: await tokens.signClient(network, client) };
  },

  deviceAssociations({ associations, pairings }, { network }) {
    const taken = pairings.list(network.networkId);
    const { adoptions, incoming, outgoing } = associations.list(network.networkId);
    return {
      pending_adoption_devices: [...adoptions, ...taken].map(toWireAdoption),
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

function toWireShare({ code, deviceName, clientId, networkName, isPending }: SharedDevice) {
  return {
    pending: isPending === 1,
    code,
    device_name: deviceName,
    client_id: clientId,
    network_name: networkName ?? undefined,
  };
}
