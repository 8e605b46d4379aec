import { TributaryError } from '../../../errors/codes.ts';
import {
  type CommandGroup,
  defineCommand,
  parseAmount,
  refuseOption,
} from '../../frame/command.ts';
import { loadConfig } from '../../frame/context.ts';
import { formatCount, formatDuration, toTime } from '../../present/amounts.ts';
import { renderQrCode } from '../../present/qr-code.ts';
import { joinLines, renderLabelled } from '../../present/text.ts';

const code = defineCommand({
  usage: 'code',
  description: 'make a code for signing another device in to this network',
  options: {
    '--minutes <number>': 'minutes until it expires (default: set by the service; documented: 10)',
    '--uses <number>': 'how many sign-ins it allows (default: set by the service; documented: 1)',
    '--qr': 'the code as a QR code too',
  },
  examples: {
    'tributary auth code': 'for one device',
    'tributary auth code --minutes 60 --uses 5': 'for five devices within the hour',
    'tributary auth code --json': 'for a script: the code is in authCode',
  },
  /** Fields that the service does not confirm are undefined. */
  async run(session, { options }, { now }) {
    const request = {
      durationMinutes: parsePositive('--minutes', options.minutes),
      uses: parsePositive('--uses', options.uses),
    };
    if (request.uses !== undefined && !Number.isInteger(request.uses)) {
      throw refuseOption('--uses', options.uses, 'a whole number above 0');
    }
    const { authCode, durationMinutes, uses } = await session.call('codeCreate', request);
    if (authCode === undefined) {
      throw new TributaryError(
        'answer-invalid',
        'making an auth code: the answer holds neither a code nor an error',
      );
    }
    return {
      // The code was asked for, and its only use is to be passed on.
      authCode: authCode.reveal(),
      durationMinutes,
      uses,
      /** By this machine's clock. */
      expiresAt: toTime(now().getTime() + (durationMinutes ?? Number.NaN) * 60_000),
    };
  },
  async render({ authCode, durationMinutes, uses }, { columns }, { qr = false }) {
    const validity = [
      durationMinutes !== undefined && formatDuration(durationMinutes * 60),
      uses !== undefined && `${formatCount(uses)} ${uses === 1 ? 'sign-in' : 'sign-ins'}`,
    ].filter((part) => part !== false);
    return joinLines([
      authCode,
      '',
      validity.length > 0 && `Good for ${validity.join(' and ')}.`,
      'On the other device, type this code when you are asked for it:',
      '  sudo tributary login',
    ]).concat(await renderQrCode({ text: authCode, columns, isWanted: qr }));
  },
});

const status = defineCommand({
  usage: 'status',
  description: 'which network this device is signed in to, as which client, and until when',
  options: { '--json': 'one JSON object' },
  examples: {
    'tributary auth status': 'the network, the client, and how long their tokens are good',
  },
  async act({ options, show }, context) {
    const { createRegistrationFiles } = await import('../../../identity/registration-files.ts');
    const { readClaims } = await import('../../../service/jwt.ts');
    const { credentials, stateDirectory, config } = await loadConfig(options, context);
    const { networkJwt, registration } = createRegistrationFiles(stateDirectory, () => undefined);
    const stored = (await networkJwt.peek())?.token;
    const token = stored ?? credentials.networkJwt;
    if (token === undefined) {
      throw new TributaryError(
        'signed-out',
        `this device is not signed in (no network JWT in ${networkJwt.path})`,
      );
    }
    const claims = readClaims(token);
    const client = await registration.peek();
    const rows: readonly (readonly [label: string, name: string, value: string | undefined])[] = [
      ['Service', 'service', config.service.base_url],
      ['Network', 'networkName', claims?.networkName],
      ['Network id', 'networkId', claims?.networkId],
      ['User', 'userId', claims?.userId],
      ['Signed in until', 'expiresAt', toTime(claims?.expiresAtMs)],
      ['Token from', 'tokenFrom', stored === undefined ? 'environment' : networkJwt.path],
      ['Client', 'clientId', client?.clientId],
      [
        'Client until',
        'clientExpiresAt',
        client && toTime(readClaims(client.clientJwt)?.expiresAtMs),
      ],
    ];
    const result = Object.fromEntries(rows.map(([, name, value]) => [name, value]));
    await show(result, (plain) => {
      const texts = rows.map(([label, name]) => [label, plain[name] ?? 'not known']);
      return renderLabelled(Object.fromEntries(texts), 17);
    });
  },
});

export const auth: CommandGroup = {
  usage: 'auth',
  description: 'how this device is signed in, and codes that other devices sign in with',
  commands: [status, code],
};

/**
 * The number; undefined if it was not given, and the service then uses its own.
 * @throws usage-invalid
 */
function parsePositive(option: string, text: string | undefined): number | undefined {
  const amount = text === undefined ? undefined : parseAmount(text);
  if (text === undefined || amount) return amount;
  throw refuseOption(option, text, 'a number above 0');
}
