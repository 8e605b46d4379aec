import * as z from 'zod';
import {
  answer,
  flag,
  integer,
  list,
  modeNumber,
  number,
  object,
  oneOf,
  secret,
  text,
} from '../fields.ts';
import { asking, making, type Operation, reading } from '../operation.ts';

export const sharedDevice = object(() => ({
  pending: flag.describe('True until the recipient confirmed.'),
  code: text.describe('Share code or adopt code.'),
  device_name: text.describe('Name of the device.'),
  client_id: text.describe("The client in the caller's network."),
  network_name: text.describe('Name of the other network.'),
}));

const adoptableDevice = object(() => ({
  code: text.describe('Share code or adopt code.'),
  device_name: text.describe('Name of the device.'),
  duration_minutes: number.describe('How long it is good for, in minutes.'),
}));

/** The operations below `/device` (service-interface, "Endpoints"). */
export const deviceOperations = {
  createShareCode: {
    ...making,
    summary: 'Creates a code that shares a device with another network.',
    path: '/device/create-share-code',
    request: object(() => ({
      client_id: z.string().describe('A client.'),
      device_name: z.string().describe('Name that the other network is shown.'),
    })),
    response: answer(() => ({ share_code: text.describe('Code for the other network.') })),
  },
  deviceAdd: {
    ...making,
    summary: 'Adds the device behind a share code or an adopt code.',
    path: '/device/add',
    request: object(() => ({ code: z.string().describe('Share code or adopt code.') })),
    response: answer(() => ({
      code_type: oneOf('share', 'adopt').describe('What the code does.'),
      code: text.describe('Share code or adopt code.'),
      device_name: text.describe('Name of the device.'),
      associated_network_name: text.describe('Network that shares the device; share codes only.'),
      client_id: text.describe('The client that the added device was given; share codes only.'),
      duration_minutes: number.describe('How long it is good for, in minutes.'),
    })),
  },
  confirmShare: {
    ...making,
    isOutside: true,
    summary: 'Confirms that a network which added a shared device may have it.',
    path: '/device/confirm-share',
    request: object(() => ({
      share_code: z.string().describe('Code that the other network added the device by.'),
      associated_network_name: z.string().describe('Name of the other network.'),
    })),
    response: answer(() => ({
      associated_network_name: text.describe('Name of the other network.'),
    })),
  },
  removeAssociation: {
    ...making,
    isOutside: true,
    summary: 'Ends a share, in either direction, or withdraws a code that nobody has used.',
    path: '/device/remove-association',
    request: object(() => ({ code: z.string().describe('Share code or adopt code.') })),
    response: answer(() => ({})),
  },
  setDeviceName: {
    ...asking,
    isOutside: true,
    summary: 'Gives a device of the network another name.',
    path: '/device/set-name',
    request: object(() => ({
      device_id: z.string().describe('The hardware, as in the list of clients.'),
      device_name: z.string().describe('Name of the device.'),
    })),
    response: answer(() => ({})),
  },
  createAdoptCode: {
    ...making,
    isOutside: true,
    summary: 'Creates a code on a device without a network, by which one can adopt it.',
    path: '/device/create-adopt-code',
    authentication: 'none',
    request: object(() => ({
      device_name: z.string().describe('Name that the network is shown.'),
      device_spec: text.describe('What the device is: hardware, software.'),
    })),
    response: answer(() => ({
      adopt_code: text.describe('Code for the owner of the network.'),
      adopt_secret: secret.describe('What the device keeps, to confirm with.'),
      duration_minutes: number.describe('How long it is good for, in minutes.'),
    })),
  },
  adoptStatus: {
    ...asking,
    isOutside: true,
    summary: 'Says whether a network has taken the adopt code of a device.',
    path: '/device/adopt-status',
    authentication: 'none',
    request: object(() => ({
      adopt_code: z.string().describe('Code for the owner of the network.'),
    })),
    response: answer(() => ({
      pending: flag.describe('True until a network took the code and the device confirmed it.'),
      associated_network_name: text.describe('Network that took it; absent before.'),
    })),
  },
  confirmAdopt: {
    ...making,
    isOutside: true,
    summary: 'Makes the device a client of the network that took its adopt code.',
    path: '/device/confirm-adopt',
    authentication: 'none',
    request: object(() => ({
      adopt_code: z.string().describe('Code for the owner of the network.'),
      adopt_secret: z.string().describe('What the device kept.'),
      associated_network_name: z.string().describe('Network that took the code.'),
    })),
    response: answer(() => ({
      by_client_jwt: secret.describe("The client's own token (JWT)."),
    })),
  },
  deviceAssociations: {
    ...reading,
    summary: 'Lists the devices shared in either direction, and those that wait to be adopted.',
    path: '/device/associations',
    response: answer(() => ({
      pending_adoption_devices: list(adoptableDevice).describe(
        'Devices that adopt codes were created for.',
      ),
      incoming_shared_devices: list(sharedDevice).describe(
        'Devices that other networks share with the caller.',
      ),
      outgoing_shared_devices: list(sharedDevice).describe(
        'Devices that the caller shares with other networks.',
      ),
    })),
  },
  setProvide: {
    ...asking,
    summary: 'Sets the provide mode of a client.',
    path: '/device/set-provide',
    authentication: 'any-jwt',
    request: object(() => ({
      client_id: z.string().describe('A client.'),
      provide_mode: modeNumber,
    })),
    response: answer(() => ({
      provide_mode: integer.describe('Provide mode, as a number of the profile in use.'),
    })),
  },
} as const satisfies Record<string, Operation>;
