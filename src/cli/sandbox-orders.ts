import type { Command } from 'commander';
import { TributaryError } from '../lib/errors.ts';
import type { OrderName } from '../reference-service/orders.ts';
import type { CommandContext } from './context.ts';
import type { OrderResult } from './give-order.ts';

/** One command for one order. */
interface OrderCommand {
  /** Name and arguments as commander writes them. */
  readonly usage: string;
  readonly description: string;
  /** flags → meaning. */
  readonly options: Readonly<Record<string, string>>;
  /** What stands after `tributary sandbox`, before `--data`. */
  readonly example: string;
  /** What is asked for; the service checks it. @throws usage-invalid */
  readonly toRequest: (words: readonly string[], options: OrderOptions) => unknown;
}

interface OrderOptions {
  readonly data: string;
  readonly json?: boolean;
  readonly network?: string;
  readonly minutes?: string;
  readonly uses?: string;
  readonly public?: boolean;
  readonly deviceName?: string;
  readonly blockchain?: string;
  readonly type?: string;
  readonly inactive?: boolean;
}

const ofNetwork = { '--network <network>': 'by name or id (default: the first)' };
const forMinutes = { '--minutes <number>': 'how long it is good (default: 10)' };

const commands: Readonly<Record<OrderName, OrderCommand>> = {
  createNetwork: {
    usage: 'network <name>',
    description: 'make another network; its id, a network JWT and an auth code',
    options: { '--public': 'its name may be seen by everybody' },
    example: 'network neighbour',
    toRequest: ([networkName], options) => ({ networkName, isPublic: options.public }),
  },
  createGuest: {
    usage: 'guest',
    description: 'make a guest session; its guest JWT',
    options: {},
    example: 'guest',
    toRequest: () => ({}),
  },
  createAuthCode: {
    usage: 'auth-code',
    description: 'make a code to log in with',
    options: { ...ofNetwork, ...forMinutes, '--uses <number>': 'how many logins it is good for (default: 1)' },
    example: 'auth-code --minutes 60 --uses 3',
    toRequest: (_, options) => ({
      network: options.network,
      durationMinutes: toNumber('--minutes', options.minutes),
      uses: toNumber('--uses', options.uses),
    }),
  },
  createResetCode: {
    usage: 'reset-code',
    description: 'make a code to set a new password with, as it would come by e-mail',
    options: { ...ofNetwork, ...forMinutes },
    example: 'reset-code',
    toRequest: (_, options) => ({
      network: options.network,
      durationMinutes: toNumber('--minutes', options.minutes),
    }),
  },
  createAdoptCode: {
    usage: 'adopt-code <client>',
    description: 'make a code that hands a client over to another network',
    options: {
      ...ofNetwork,
      ...forMinutes,
      '--device-name <name>': "what it is called there (default: the client's name)",
    },
    example: 'adopt-code 9daace15-9c40-45e6-89bc-27226b8c7803',
    toRequest: ([clientId], options) => ({
      network: options.network,
      clientId,
      deviceName: options.deviceName,
      durationMinutes: toNumber('--minutes', options.minutes),
    }),
  },
  addWallet: {
    usage: 'wallet <address>',
    description: 'register a wallet for payouts',
    options: {
      ...ofNetwork,
      '--blockchain <name>': 'SOL or MATIC (default: SOL)',
      '--type <type>': 'external or managed (default: external)',
      '--inactive': 'payouts may not go there',
    },
    example: 'wallet 0x52908400098527886E0F7030069857D2E4169EE7 --blockchain MATIC',
    toRequest: ([walletAddress], options) => ({
      network: options.network,
      walletAddress,
      blockchain: options.blockchain,
      walletType: options.type,
      isActive: options.inactive !== true,
    }),
  },
  locateClient: {
    usage: 'locate <client> <place>',
    description: 'say where a client is: a city, or a region or country for its first',
    options: ofNetwork,
    example: 'locate 9daace15-9c40-45e6-89bc-27226b8c7803 Berlin',
    toRequest: ([clientId, place], options) => ({ network: options.network, clientId, place }),
  },
};

/** Adds to `tributary sandbox` what the interface does not show how to make. */
export function registerSandboxOrders(sandbox: Command, context: CommandContext): void {
  for (const name of Object.keys(commands) as OrderName[]) {
    const { usage, description, options, example, toRequest } = commands[name];
    const added = sandbox.command(usage).description(description);
    for (const [flags, meaning] of Object.entries(options)) added.option(flags, meaning);
    added
      .configureHelp({ visibleGlobalOptions: (command) => toShared(command) })
      .addHelpText('after', `\nExample:\n  tributary sandbox ${example} --data ./sandbox\n`)
      .action(async (...parameters: unknown[]) => {
        const command = parameters.at(-1) as Command;
        const given = command.optsWithGlobals<OrderOptions>();
        const { giveOrder } = await import('./give-order.ts');
        const result = await giveOrder({ directory: given.data, name, request: toRequest(command.args, given) });
        context.stdout.write(given.json === true ? `${JSON.stringify(result)}\n` : renderText(result));
      });
  }
}

/** Of all that `tributary sandbox` takes, what its subcommands take too. */
export function toShared(command: Command) {
  return command.parent?.options.filter(({ long }) => long === '--data' || long === '--json') ?? [];
}

const labels: Readonly<Record<string, string>> = {
  networkId: 'Network',
  networkName: 'Name',
  networkJwt: 'Network JWT',
  guestJwt: 'Guest JWT',
  authCode: 'Auth code',
  resetCode: 'Reset code',
  adoptCode: 'Adopt code',
  durationMinutes: 'Minutes',
  uses: 'Uses',
  clientId: 'Client',
  deviceName: 'Device',
  walletId: 'Wallet',
  walletAddress: 'Address',
  isActive: 'Active',
  city: 'City',
  country: 'Country',
};

function renderText(result: OrderResult): string {
  return Object.entries(result)
    .map(([name, value]) => `${(labels[name] ?? name).padEnd(12)}${toText(value)}\n`)
    .join('');
}

function toText(value: string | number | boolean): string {
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
}

function toNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text)) return Number(text);
  throw new TributaryError('usage-invalid', `${option} ${text}: it must be a number`);
}
