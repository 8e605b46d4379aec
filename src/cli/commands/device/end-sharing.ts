import { confirmOrStop, defineCommand, refuse } from '../../frame/command.ts';

export const confirm = defineCommand({
  usage: 'confirm <code>',
  description: 'confirm the network that added a device you share, where the service asks for it',
  arguments: { code: 'a share code of "device associations"' },
  options: { '--yes': 'skip the confirmation' },
  examples: { 'tributary device confirm K7WQ2M4XZP': 'names the network and asks' },
  async run(session, { words: [code = ''], options }, context) {
    session.findServed('confirmShare');
    const { outgoingSharedDevices } = await session.call('deviceAssociations', undefined);
    const shared = outgoingSharedDevices.find((own) => own.code === code);
    if (shared === undefined) throw createUnknownError(code);
    const { networkName, deviceName } = shared;
    if (!networkName) throw refuse('no network has added the device of this code yet');
    await confirmOrStop(
      `Share ${deviceName ?? 'the device'} with the network ${networkName}?`,
      options,
      context,
    );
    await session.call('confirmShare', { shareCode: code, associatedNetworkName: networkName });
    return { code, deviceName, networkName };
  },
  render: ({ deviceName = 'The device', networkName }) =>
    `${deviceName} is shared with ${networkName}.\n`,
});

export const unshare = defineCommand({
  usage: 'unshare <code>',
  description: 'end a share, yours or with you, or withdraw a code that nobody used',
  arguments: { code: 'a code of "device associations"' },
  options: { '--yes': 'skip the confirmation' },
  examples: { 'tributary device unshare K7WQ2M4XZP': 'says what it ends, and asks' },
  async run(session, { words: [code = ''], options }, context) {
    session.findServed('removeAssociation');
    const answer = await session.call('deviceAssociations', undefined);
    const waiting = answer.pendingAdoptionDevices.find((own) => own.code === code);
    const shared = [...answer.outgoingSharedDevices, ...answer.incomingSharedDevices].find(
      (own) => own.code === code,
    );
    const found = shared ?? waiting;
    if (found === undefined) throw createUnknownError(code);
    const { deviceName } = found;
    const party = shared?.networkName ? ` with ${shared.networkName}` : '';
    const what = waiting === undefined ? 'End the share of' : 'Withdraw the code of';
    await confirmOrStop(`${what} ${deviceName ?? 'the device'}${party}?`, options, context);
    await session.call('removeAssociation', { code });
    return { code, deviceName, removed: true };
  },
  render: ({ code, deviceName = 'the device' }) => `Ended: ${deviceName} (${code}).\n`,
});

function createUnknownError(code: string) {
  return refuse(`no share or adoption has the code ${code}`, {
    action: 'See them all: tributary device associations',
  });
}
