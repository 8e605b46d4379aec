import { hostname } from 'node:os';
import { TributaryError } from '../../../errors/codes.ts';
import type { Secret } from '../../../lib/secret.ts';
import { sleep } from '../../../lib/sleep.ts';
import { confirmOrStop, defineCommand, refuse } from '../../frame/command.ts';
import type { Session } from '../../frame/session.ts';
import { formatDuration } from '../../present/amounts.ts';
import { renderQrCode } from '../../present/qr-code.ts';
import { joinLines } from '../../present/text.ts';
import { wakeAgent } from '../set-up/reload.ts';

const pollMs = 2000;

export const pair = defineCommand({
  usage: 'pair',
  description:
    'sign this device in without a code of yours: it shows one, and you add it from your network',
  options: {
    '--name <name>': "what your network is shown (default: the device's name)",
    '--qr': 'the code as a QR code too (default: at a terminal that has room for it)',
    '--no-qr': 'text only',
    '--yes': 'accept whichever network takes the code',
  },
  examples: {
    'sudo tributary device pair': 'then add it elsewhere: in the app, or tributary device add CODE',
  },
  async run(session, { options }, context) {
    session.findServed('createAdoptCode');
    if (options.yes !== true && context.prompt === undefined)
      throw refuse(
        'pairing asks which network may have this device, and this is no terminal: pass --yes',
      );
    const files = await openFiles(session);
    const deviceName = options.name ?? session.loaded.config.device.description ?? hostname();
    const deviceSpec = files.markSpec(session.loaded.config.device.spec ?? '');
    const made = await session.call('createAdoptCode', { deviceName, deviceSpec });
    const { adoptCode, adoptSecret, durationMinutes = 10 } = made;
    if (!adoptCode || adoptSecret === undefined) {
      const message = 'pairing: the answer holds neither a code nor an error';
      throw new TributaryError('answer-invalid', message);
    }
    const { columns } = context;
    const shown = joinLines([
      `Adopt code  ${adoptCode}`,
      '',
      `Add it to your network within ${formatDuration(durationMinutes * 60)}, elsewhere:`,
      `  tributary device add ${adoptCode}`,
      'Ctrl-C stops waiting; the code is then good until its time is over, and adds nothing without this device.',
    ]);
    const qr = await renderQrCode({ text: adoptCode, columns, isWanted: options.qr });
    context.stderr.write(`${shown}${qr}\n`);
    const endMs = context.now().getTime() + durationMinutes * 60_000;
    const networkName = await waitForNetwork(
      session,
      adoptCode,
      () => context.now().getTime() < endMs,
    );
    await confirmOrStop(`Is ${networkName} your network?`, options, context);
    const { byClientJwt } = await session.call('confirmAdopt', {
      adoptCode,
      adoptSecret,
      associatedNetworkName: networkName,
    });
    const { readClaims } = await import('../../../service/jwt.ts');
    const clientId = byClientJwt && readClaims(byClientJwt)?.clientId;
    if (byClientJwt === undefined || clientId === undefined) {
      const message = 'pairing: the answer holds neither a token of this device nor an error';
      throw new TributaryError('answer-invalid', message);
    }
    await files.keep(clientId, byClientJwt, context.now());
    const isRunning = await wakeAgent(session.loaded);
    return { adoptCode, clientId, deviceName, networkName, isRunning };
  },
  render: ({ deviceName, networkName, isRunning }) =>
    joinLines([
      `${deviceName} belongs to ${networkName} now.`,
      isRunning
        ? 'The agent takes it from here: tributary status'
        : 'Start the agent: sudo systemctl start tributary (without the package: tributary run)',
    ]),
});

/** Asks until a network has taken the code. @throws usage-invalid when the code is over */
async function waitForNetwork(
  session: Session,
  adoptCode: string,
  isGood: () => boolean,
): Promise<string> {
  const { signal } = new AbortController();
  while (isGood()) {
    const { associatedNetworkName } = await session.call('adoptStatus', { adoptCode });
    if (associatedNetworkName) return associatedNetworkName;
    await sleep(pollMs, signal);
  }
  throw refuse('nobody took the code in time: nothing was changed', { action: 'Try again.' });
}

/** @throws usage-invalid where the device is registered already; state-* */
async function openFiles(session: Session) {
  const { stateDirectory } = session.loaded;
  const { createRegistrationFiles, emptyNetworkJwtState, markDeviceSpec } = await import(
    '../../../identity/registration-files.ts'
  );
  const { loadDevice } = await import('../../../identity/load.ts');
  const { ensureDirectory } = await import('../../../system/files.ts');
  await ensureDirectory(stateDirectory);
  const files = createRegistrationFiles(stateDirectory, () => undefined);
  const { identity } = await loadDevice(files);
  if (identity.clientId !== undefined) {
    throw refuse(`this device is registered already, as client ${identity.clientId}`, {
      action:
        'To register it as a new device with your own sign-in: sudo tributary login --new-device',
    });
  }
  return {
    markSpec: (spec: string) => markDeviceSpec(spec, identity.installId),
    /** The client first: a token without it would register a second one. */
    async keep(clientId: string, token: Secret, now: Date) {
      await files.identity.write({ ...identity, clientId });
      const state = (await files.networkJwt.peek()) ?? emptyNetworkJwtState;
      const takenAt = now.toISOString();
      await files.networkJwt.write({ ...state, token, holder: 'device', takenAt });
    },
  };
}
