import type { Option } from 'commander';
import type { AdminCommandName, AdminResult } from '../reference-service/admin-commands.ts';
import {
  type AnyCommand,
  defineCommand,
  type Flag,
  parseAmount,
  refuseOption,
} from './frame/command.ts';
import { flagWords } from './present/amounts.ts';
import { renderLabelled } from './present/text.ts';

const options = {
  network: ['network', '--network <network>', 'by name or id (default: the first)'],
  minutes: [
    'durationMinutes',
    '--minutes <number>',
    ['minutes until it expires (default: 10)', readAmount],
  ],
  uses: ['uses', '--uses <number>', ['how many sign-ins it allows (default: 1)', readAmount]],
  public: ['isPublic', '--public', 'everybody may see its name'],
  deviceName: [
    'deviceName',
    '--device-name <name>',
    "what it is called there (default: the client's name)",
  ],
  blockchain: ['blockchain', '--blockchain <name>', 'SOL or MATIC (default: SOL)'],
  type: ['walletType', '--type <type>', 'external or managed (default: external)'],
  inactive: [
    'isActive',
    '--inactive',
    ['payouts may not go there', (option: Option) => option.preset(false)],
  ],
} as const satisfies Readonly<
  Record<string, readonly [field: string, flags: string, meaning: Flag]>
>;

interface AdminCommandRow {
  readonly usage: string;
  readonly description: string;
  readonly fields?: readonly string[];
  readonly options?: readonly (keyof typeof options)[];
  /** The words after `tributary sandbox`, before `--data`, and what they are for. */
  readonly example: readonly [words: string, purpose: string];
}

const rows: Readonly<Record<AdminCommandName, AdminCommandRow>> = {
  createNetwork: {
    usage: 'network <name>',
    description: 'make another network, and print its id, a network JWT and an auth code',
    fields: ['networkName'],
    options: ['public'],
    example: ['network neighbour', 'a second network, to share devices with'],
  },
  createGuest: {
    usage: 'guest',
    description: 'make a guest session, and print its guest JWT',
    example: ['guest', 'for trying account upgrade'],
  },
  createAuthCode: {
    usage: 'auth-code',
    description: 'make a code to sign in with',
    options: ['network', 'minutes', 'uses'],
    example: ['auth-code --minutes 60 --uses 3', 'for three devices, within the hour'],
  },
  createResetCode: {
    usage: 'reset-code',
    description: 'make a code to set a new password with, as it would come by e-mail',
    options: ['network', 'minutes'],
    example: ['reset-code', 'for trying account set-password'],
  },
  createAdoptCode: {
    usage: 'adopt-code <client>',
    description: 'make a code that hands a client over to another network',
    fields: ['clientId'],
    options: ['network', 'minutes', 'deviceName'],
    example: ['adopt-code 9daace15-9c40-45e6-89bc-27226b8c7803', 'for trying device add'],
  },
  addWallet: {
    usage: 'wallet <address>',
    description: 'register a wallet for payouts',
    fields: ['walletAddress'],
    options: ['network', 'blockchain', 'type', 'inactive'],
    example: [
      'wallet 0x52908400098527886E0F7030069857D2E4169EE7 --blockchain MATIC',
      'a wallet to receive payouts',
    ],
  },
  locateClient: {
    usage: 'locate <client> <place>',
    description: 'say where a client is: a city, or a region or country for its first',
    fields: ['clientId', 'place'],
    options: ['network'],
    example: ['locate 9daace15-9c40-45e6-89bc-27226b8c7803 Berlin', 'put it in Berlin'],
  },
};

/** Commands for what the interface itself cannot make. */
export const adminCommands: readonly AnyCommand[] = Object.entries(rows).map(
  ([name, { fields = [], options: taken = [], example, ...help }]) =>
    defineCommand({
      ...help,
      options: Object.fromEntries(taken.map((own) => options[own].slice(1))),
      examples: { [`tributary sandbox ${example[0]} --data ./sandbox`]: example[1] },
      async act({ words, options: given, show }) {
        const values = new Map<string, unknown>(Object.entries(given));
        // The administrator's command checks these values.
        const request = Object.fromEntries([
          ...fields.map((field, index) => [field, words[index]]),
          ...taken.map((own) => [options[own][0], values.get(own)]),
        ]);
        const { administer } = await import('../reference-service/admin-commands.ts');
        const result = await administer(given.data ?? '', name as AdminCommandName, request);
        await show(result, () => renderResult(result));
      },
    }),
);

function readAmount(option: Option): Option {
  return option.argParser((text) => {
    const amount = parseAmount(text);
    if (amount === undefined) throw refuseOption(option.long ?? '', text, 'a number');
    return amount;
  });
}

const labels: Readonly<Record<string, string>> = {
  networkId: 'Network',
  networkName: 'Name',
  networkJwt: 'Network JWT',
  guestJwt: 'Guest JWT',
  durationMinutes: 'Minutes',
  clientId: 'Client',
  deviceName: 'Device',
  walletId: 'Wallet',
  walletAddress: 'Address',
  isActive: 'Active',
};

/** Each value after its label. */
export function renderResult(result: AdminResult): string {
  const toText = (value: AdminResult[string]) =>
    typeof value === 'boolean' ? flagWords[`${value}`] : value;
  const shown = Object.entries(result).map(([name, value]) => [
    labels[name] ?? toWords(name),
    toText(value),
  ]);
  return renderLabelled(Object.fromEntries(shown), 12);
}

function toWords(field: string): string {
  const words = field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
