import { defineCommand, refuse } from '../../frame/command.ts';
import { joinLines } from '../../present/text.ts';
import { chooseClient, namesOfClient } from '../choose-client.ts';

export const rename = defineCommand({
  usage: 'rename <client> <name>',
  description: 'give a device another name at the service',
  arguments: { client: namesOfClient, name: 'the new name' },
  examples: {
    'tributary device rename attic "under the roof"': 'the same device, by another name',
  },
  async run(session, { words: [text = '', name = ''] }) {
    session.findServed('setDeviceName');
    if (name.trim() === '') throw refuse('the new name is empty');
    const { clientId, name: before } = await chooseClient(session, text);
    const deviceId = await findDeviceId(session, clientId);
    await session.call('setDeviceName', { deviceId, deviceName: name });
    return { clientId, deviceId, deviceName: name, formerName: before || undefined };
  },
  render: ({ clientId, deviceName, formerName }) =>
    joinLines([
      `${formerName ?? `Client ${clientId}`} is called ${deviceName} now.`,
      'Its agent tells the service device.description of its own configuration all the same.',
    ]),
});

/** @throws usage-invalid */
async function findDeviceId(
  session: Parameters<typeof chooseClient>[0],
  clientId: string,
): Promise<string> {
  for await (const client of session.stream('clients', undefined)) {
    if (client.clientId === clientId && client.deviceId) return client.deviceId;
  }
  throw refuse(`the service names no hardware of client ${clientId}, so it cannot be renamed`);
}
