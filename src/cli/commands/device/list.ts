import { defineCommand } from '../../frame/command.ts';
import { keepNames } from '../../frame/known-names.ts';
import { asAgo, asGib, asHours, asUsdc } from '../../present/amounts.ts';
import { readBelow } from '../../present/below-table.ts';
import { defineTable } from '../../present/tables.ts';
import { joinLines, joinSections } from '../../present/text.ts';
import { createRowKeeper } from '../choose-client.ts';
import { type ClientView, viewClient } from '../service/client-view.ts';

export const list = defineCommand({
  usage: 'list',
  description: "this network's devices, and what they did in the last 24 hours",
  examples: {
    'tributary device list': 'all of them; * marks this device',
    'tributary device list --json': 'the same for a script',
  },
  async run(session, _given, context) {
    const ownClientId = await session.findOwnClientId();
    const keep = createRowKeeper('devices');
    const served = await Array.fromAsync(session.stream('providers', undefined), keep);
    const providers = new Map(served.map((provider) => [provider.clientId, provider]));
    const listed = session.stream('clients', undefined);
    const clients = await Array.fromAsync(listed, (client) =>
      keep(viewClient(client, session.profile)),
    );
    const devices = clients.flatMap(({ clientId, ...client }) => {
      if (clientId === undefined) return [];
      const provider = providers.get(clientId);
      return {
        clientId,
        name: client.name,
        isThisDevice: clientId === ownClientId,
        provideMode: client.provideMode,
        isConnected: provider?.connected ?? client.isConnected,
        lastSeenAt: findLastSeenAt(client),
        uptimeHours: provider?.uptimeLast24h,
        transferGib: provider?.transferDataLast24h,
        payoutUsdc: provider?.payoutLast24h,
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
      { ...asHours, title: 'Uptime', read: ({ uptimeHours }) => uptimeHours, dropOrder: 4 },
      { ...asGib, title: 'Transfer', read: ({ transferGib }) => transferGib, dropOrder: 2 },
      { ...asUsdc, title: 'Payout', read: ({ payoutUsdc }) => payoutUsdc, dropOrder: 3 },
    ]),
  }),
  render({ devices: all }, shown) {
    if (all.length === 0)
      return 'No devices yet. To register this one: sudo systemctl start tributary\n';
    const { rows: devices, prints } = readBelow(shown, 'devices', all);
    const online = devices.filter(({ isConnected }) => isConnected).length;
    const isMarked = prints('kind');
    const ofTheDay = ['uptime', 'transfer', 'payout'].filter(prints);
    const notes = joinLines([
      `${devices.length} ${devices.length === 1 ? 'device' : 'devices'}, ${online || 'none'} connected.`,
      isMarked && devices.some(({ isThisDevice }) => isThisDevice) && '* this device',
      isMarked &&
        devices.some(({ sourceClientId }) => sourceClientId !== undefined) &&
        '+ derived from another client, such as a device that someone shares with you',
      ofTheDay.length > 0 && `${listWords(ofTheDay)} the last 24 hours.`,
    ]);
    return joinSections([shown.tables.devices, notes]);
  },
});

/** `Uptime, transfer and payout cover`. */
function listWords(names: readonly string[]): string {
  const text = new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(names);
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)} ${names.length === 1 ? 'covers' : 'cover'}`;
}

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
