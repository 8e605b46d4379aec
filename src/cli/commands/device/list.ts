import { defineCommand } from '../../frame/command.ts';
import { keepNames } from '../../frame/known-names.ts';
import { asAgo } from '../../present/amounts.ts';
import { readBelow } from '../../present/below-table.ts';
import { defineTable } from '../../present/tables.ts';
import { joinLines, joinSections } from '../../present/text.ts';
import { createRowKeeper } from '../choose-client.ts';
import { type ClientView, viewClient } from '../service/client-view.ts';

export const list = defineCommand({
  usage: 'list',
  description: "this network's devices: name, mode, and when each was last seen",
  examples: {
    'tributary device list': 'all of them; * marks this device',
    'tributary device list --json': 'the same for a script',
  },
  async run(session, _given, context) {
    const ownClientId = await session.findOwnClientId();
    const keep = createRowKeeper('devices');
    const listed = session.stream('clients', undefined);
    const clients = await Array.fromAsync(listed, (client) =>
      keep(viewClient(client, session.profile)),
    );
    const devices = clients.flatMap(({ clientId, ...client }) => {
      if (clientId === undefined) return [];
      return {
        clientId,
        name: client.name,
        isThisDevice: clientId === ownClientId,
        provideMode: client.provideMode,
        isConnected: client.isConnected,
        lastSeenAt: findLastSeenAt(client),
        sourceClientId: client.sourceClientId,
      };
    });
    await keepNames(
      'client',
      devices.map(({ clientId: id, name = '' }) => ({ id, name })),
      context,
    );
    return { devices };
  },
  tables: ({ devices }) => ({
    devices: defineTable(devices, [
      {
        title: '',
        name: 'kind',
        read: nameKind,
        format: (kind: keyof typeof marks) => marks[kind],
      },
      { title: 'Client', read: ({ clientId }) => clientId, least: 8, isId: true },
      { title: 'Name', read: ({ name }) => name, least: 24 },
      { title: 'Mode', read: ({ provideMode }) => provideMode, dropOrder: 1 },
      {
        title: 'Seen',
        read: (own) => (own.isConnected ? 'now' : (own.lastSeenAt ?? 'never')),
        ...asAgo,
      },
    ]),
  }),
  render({ devices: all }, shown) {
    if (all.length === 0)
      return 'No devices yet. To register this one: sudo systemctl start tributary\n';
    const { rows: devices, prints } = readBelow(shown, 'devices', all);
    const online = devices.filter(({ isConnected }) => isConnected).length;
    const isMarked = prints('kind');
    const notes = joinLines([
      `${devices.length} ${devices.length === 1 ? 'device' : 'devices'}, ${online || 'none'} connected.`,
      isMarked && devices.some(({ isThisDevice }) => isThisDevice) && '* this device',
      isMarked &&
        devices.some(({ sourceClientId }) => sourceClientId !== undefined) &&
        '+ derived from another client, such as a device that someone shares with you',
      'What they did: tributary stats',
    ]);
    return joinSections([shown.tables.devices, notes]);
  },
});

const marks = { this: '*', derived: '+', other: ' ' } as const;

function nameKind(own: {
  isThisDevice: boolean;
  sourceClientId: string | undefined;
}): keyof typeof marks {
  if (own.isThisDevice) return 'this';
  return own.sourceClientId === undefined ? 'other' : 'derived';
}

/** When the client last signed in, connected or disconnected; undefined if it never did. */
function findLastSeenAt({
  authenticatedAt,
  connections,
}: Omit<ClientView, 'clientId'>): string | undefined {
  const times = connections.flatMap(({ connectedAt, disconnectedAt }) => [
    connectedAt,
    disconnectedAt,
  ]);
  const toMs = (time: string | undefined) => Date.parse(time ?? '') || 0;
  const [latest] = [authenticatedAt, ...times].toSorted((one, other) => toMs(other) - toMs(one));
  return toMs(latest) > 0 ? latest : undefined;
}
