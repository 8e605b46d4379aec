import { defineCommand, refuse } from '../../frame/command.ts';
import { formatAgo, unknown } from '../../present/amounts.ts';
import { renderLabelled } from '../../present/text.ts';
import { chooseClient, namesOfClient } from '../choose-client.ts';
import { findConnectedAt, viewClient } from '../service/client-view.ts';

export const show = defineCommand({
  usage: 'show [client]',
  description: 'what the service knows of one device: this one, or another by its name or id',
  arguments: { client: namesOfClient },
  examples: {
    'tributary device show': 'this device',
    'tributary device show attic --json': 'another one, for a script',
  },
  async run(session, { words: [text = 'this'] }) {
    const { clientId } = await chooseClient(session, text);
    for await (const client of session.stream('clients', undefined)) {
      if (client.clientId === clientId) return viewClient(client, session.profile);
    }
    throw refuse(`client ${clientId} is gone`);
  },
  render(client, { now }) {
    const connectedAt = findConnectedAt(client);
    const since = connectedAt === undefined ? '' : `, since ${formatAgo(connectedAt, now())}`;
    const known = {
      Name: client.name,
      Client: client.clientId,
      Device: client.deviceId,
      Source: client.sourceClientId,
      Mode: client.provideMode,
      Connected: client.isConnected ? `yes${since}` : 'no',
      'Last auth': formatAgo(client.authenticatedAt, now()),
      Created: formatAgo(client.createdAt, now()),
      Spec: client.deviceSpec,
      Proxy: client.proxy?.host,
      Tunnel: client.proxy?.hasTunnel === true ? 'issued' : 'none',
    };
    const shown = Object.entries(known).map(([label, value]) => [label, value ?? unknown]);
    return renderLabelled(Object.fromEntries(shown));
  },
});
