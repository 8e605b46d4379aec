import type { OperationResponse } from '../../service/operations.ts';
import { defineCommand } from '../command.ts';
import type { Terminal } from '../context.ts';
import { formatHours } from '../present/amounts.ts';
import { joinSections, renderTable } from '../present/text.ts';

export const associations = defineCommand({
  usage: 'associations',
  description: 'devices that wait to be handed over, that others share with you, and that you share',
  examples: {
    'tributary device associations': 'all three lists',
    'tributary device associations --json': 'the same for a script',
  },
  async run(session) {
    const answer = await session.call('deviceAssociations', undefined);
    return {
      /** Devices that are handed over to the network that brings the code. */
      pendingAdoptionDevices: answer.pendingAdoptionDevices.map(({ code, deviceName, durationMinutes }) => {
        return { code, deviceName, durationMinutes };
      }),
      incomingSharedDevices: answer.incomingSharedDevices.map(viewShared),
      outgoingSharedDevices: answer.outgoingSharedDevices.map(viewShared),
    };
  },
  async render({ pendingAdoptionDevices, incomingSharedDevices, outgoingSharedDevices }, terminal) {
    const adoptions = await renderTable(pendingAdoptionDevices, terminal, [
      { title: 'Code', read: ({ code }) => code, least: 12 },
      { title: 'Device', read: ({ deviceName }) => deviceName, least: 8 },
      { title: 'Good for', read: ({ durationMinutes: limit }) => formatHours(limit && limit / 60), align: 'right' },
    ]);
    const titled = (title: string, table: string) => (table === '' ? '' : `${title}\n\n${table}`);
    const sections = joinSections([
      titled('Waiting for adoption', adoptions),
      titled('Shared with you', await renderShared('From', incomingSharedDevices, terminal)),
      titled('Shared by you', await renderShared('With', outgoingSharedDevices, terminal)),
    ]);
    return sections || 'Nothing is shared or handed over. Share a device: tributary device share this\n';
  },
});

/** A shared device: pending until the other network, which is named, has added it. */
function viewShared(shared: OperationResponse<'deviceAssociations'>['incomingSharedDevices'][number]) {
  const { pending, code, deviceName, clientId, networkName } = shared;
  return { isPending: pending, code, deviceName, clientId, networkName };
}

const stateWords = { true: 'pending', false: 'added', undefined };

function renderShared(party: string, shared: readonly ReturnType<typeof viewShared>[], terminal: Terminal) {
  return renderTable(shared, terminal, [
    { title: 'Code', read: ({ code }) => code, least: 12 },
    { title: 'Device', read: ({ deviceName }) => deviceName, least: 8 },
    { title: party, read: ({ networkName }) => networkName, least: 8 },
    { title: 'State', read: ({ isPending }) => stateWords[`${isPending}`] },
    { title: 'Client', read: ({ clientId }) => clientId, least: 8, isId: true },
  ]);
}
