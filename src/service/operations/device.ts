import * as z from 'zod';
import { answer, flag, integer, list, modeNumber, number, object, oneOf, text } from '../fields.ts';
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
