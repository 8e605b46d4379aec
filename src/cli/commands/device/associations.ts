import type { OperationResponse } from '../../../service/operations.ts';
import { defineCommand } from '../../frame/command.ts';
import { asHours } from '../../present/amounts.ts';
import { defineTable } from '../../present/tables.ts';
import { joinSections } from '../../present/text.ts';

export const associations = defineCommand({
  usage: 'associations',
  description: 'devices waiting for adoption, shared with you, and shared by you',
  examples: {
    'tributary device associations': 'all three lists',
    'tributary device associations --json': 'the same for a script',
  },
  async run(session) {
    const answer = await session.call('deviceAssociations', undefined);
    return {
      /** Devices that are handed over to the network that enters the code. */
      pendingAdoptionDevices: answer.pendingAdoptionDevices.map(
        ({ code, deviceName, durationMinutes }) => {
          return { code, deviceName, durationMinutes };
        },
      ),
      incomingSharedDevices: answer.incomingSharedDevices.map(viewShared),
      outgoingSharedDevices: answer.outgoingSharedDevices.map(viewShared),
    };
  },
  tables: ({ pendingAdoptionDevices, incomingSharedDevices, outgoingSharedDevices }) => ({
    pendingAdoptionDevices: defineTable(pendingAdoptionDevices, [
      { title: 'Code', read: ({ code }) => code, least: 12 },
      { title: 'Device', read: ({ deviceName }) => deviceName, least: 8 },
      { ...asHours, title: 'Good for', read: ({ durationMinutes: limit }) => limit && limit / 60 },
    ]),
    incomingSharedDevices: defineShared('From', incomingSharedDevices),
    outgoingSharedDevices: defineShared('With', outgoingSharedDevices),
  }),
  render(_, { tables }) {
    const titled = Object.entries(titles).map(
      ([name, title]) => tables[name] && `${title}\n\n${tables[name]}`,
    );
    return (
      joinSections(titled) ||
      'Nothing is shared or handed over. Share a device: tributary device share this\n'
    );
  },
});

const titles = {
  pendingAdoptionDevices: 'Waiting for adoption',
  incomingSharedDevices: 'Shared with you',
  outgoingSharedDevices: 'Shared by you',
};

/** A shared device. It is pending until the other network, which is named, has added it. */
function viewShared(
  shared: OperationResponse<'deviceAssociations'>['incomingSharedDevices'][number],
) {
  const { pending, code, deviceName, clientId, networkName } = shared;
  return { isPending: pending, code, deviceName, clientId, networkName };
}

function defineShared(party: string, shared: readonly ReturnType<typeof viewShared>[]) {
  return defineTable(shared, [
    { title: 'Code', read: ({ code }) => code, least: 12 },
    { title: 'Device', read: ({ deviceName }) => deviceName, least: 8 },
    { title: party, name: 'network', read: ({ networkName }) => networkName, least: 8 },
    {
      title: 'State',
      read: ({ isPending }) =>
        isPending === undefined ? undefined : isPending ? 'pending' : 'added',
    },
    { title: 'Client', read: ({ clientId }) => clientId, least: 8, isId: true },
  ]);
}
