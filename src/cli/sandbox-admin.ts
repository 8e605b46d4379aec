import { type Command, Option } from 'commander';
import { toPlainJson } from '../lib/plain-text.ts';
import type { AdminCommandName } from '../reference-service/admin-commands.ts';
import type { CommandContext } from './context.ts';
import { flagWords } from './present/amounts.ts';
import { renderLabelled } from './present/text.ts';
import { parseAmount, refuseOption } from './refuse.ts';
import type { AdminResult } from './run-admin-command.ts';

/** Each option by the field of the request that it is: flags, meaning, and its value where it takes none from the line. */
const options = {
  network: ['--network <network>', 'by name or id (default: the first)'],
  durationMinutes: ['--minutes <number>', 'how long it is good (default: 10)'],
  uses: ['--uses <number>', 'how many logins it is good for (default: 1)'],
  isPublic: ['--public', 'its name may be seen by everybody', true],
  deviceName: ['--device-name <name>', "what it is called there (default: the client's name)"],
  blockchain: ['--blockchain <name>', 'SOL or MATIC (default: SOL)'],
  walletType: ['--type <type>', 'external or managed (default: external)'],
  isActive: ['--inactive', 'payouts may not go there', false],
} as const satisfies Record<string, readonly [flags: string, meaning: string, value?: boolean]>;

interface AdminCommandRow {
  readonly usage: string;
  readonly description: string;
  /** The fields of the request that its arguments are. */
  readonly fields: readonly string[];
  readonly options: readonly (keyof typeof options)[];
  /** The words after `tributary sandbox`, before `--data`. */
  readonly example: string;
}

const rows: Readonly<Record<AdminCommandName, AdminCommandRow>> = {
  createNetwork: {
    usage: 'network <name>',
    description: 'make another network; its id, a network JWT and an auth code',
    fields: ['networkName'],
    options: ['isPublic'],
    example: 'network neighbour',
  },
  createGuest: {
    usage: 'guest',
    description: 'make a guest session; its guest JWT',
    fields: [],
    options: [],
    example: 'guest',
  },
  createAuthCode: {
    usage: 'auth-code',
    description: 'make a code to log in with',
    fields: [],
    options: ['network', 'durationMinutes', 'uses'],
    example: 'auth-code --minutes 60 --uses 3',
  },
  createResetCode: {
    usage: 'reset-code',
    description: 'make a code to set a new password with, as it would come by e-mail',
    fields: [],
    options: ['network', 'durationMinutes'],
    example: 'reset-code',
  },
  createAdoptCode: {
    usage: 'adopt-code <client>',
    description: 'make a code that hands a client over to another network',
    fields: ['clientId'],
    options: ['network', 'durationMinutes', 'deviceName'],
    example: 'adopt-code 9daace15-9c40-45e6-89bc-27226b8c7803',
  },
  addWallet: {
    usage: 'wallet <address>',
    description: 'register a wallet for payouts',
    fields: ['walletAddress'],
    options: ['network', 'blockchain', 'walletType', 'isActive'],
    example: 'wallet 0x52908400098527886E0F7030069857D2E4169EE7 --blockchain MATIC',
  },
  locateClient: {
    usage: 'locate <client> <place>',
    description: 'say where a client is: a city, or a region or country for its first',
    fields: ['clientId', 'place'],
    options: ['network'],
    example: 'locate 9daace15-9c40-45e6-89bc-27226b8c7803 Berlin',
  },
};

/** Adds to `tributary sandbox` what the interface does not show how to make. */
export function registerSandboxAdmin(sandbox: Command, context: CommandContext): void {
  for (const name of Object.keys(rows) as AdminCommandName[]) {
    const { usage, description, fields, example } = rows[name];
    const taken = rows[name].options.map((field) => ({ field, option: createOption(field) }));
    const added = sandbox.command(usage).description(description);
    for (const { option } of taken) added.addOption(option);
    added
      .configureHelp({ visibleGlobalOptions: listSharedOptions })
      .addHelpText('after', `\nExample:\n  tributary sandbox ${example} --data ./sandbox\n`)
      .action(async (...parameters: unknown[]) => {
        const command = parameters.at(-1) as Command;
        const { data, json } = command.optsWithGlobals<{ readonly data: string; readonly json?: boolean }>();
        // The service checks it.
        const request = Object.fromEntries([
          ...fields.map((field, index) => [field, command.args[index]]),
          ...taken.map(({ field, option }) => [field, command.opts()[option.attributeName()]]),
        ]);
        const { runAdminCommand } = await import('./run-admin-command.ts');
        const result = await runAdminCommand({ directory: data, name, request });
        context.stdout.write(json === true ? `${toPlainJson(result)}\n` : renderResult(result));
      });
  }
}

/** Of all that `tributary sandbox` takes, what its subcommands take too. */
export function listSharedOptions(command: Command): Option[] {
  return command.parent?.options.filter(({ long }) => long === '--data' || long === '--json') ?? [];
}

function createOption(field: keyof typeof options): Option {
  const [flags, meaning, value] = options[field];
  const option = new Option(flags, meaning);
  if (!flags.endsWith('<number>')) return value === undefined ? option : option.preset(value);
  return option.argParser((text) => {
    const amount = parseAmount(text);
    if (amount === undefined) throw refuseOption(option.long ?? '', text, 'a number');
    return amount;
  });
}

/** Others are their field in words: `Auth code`. */
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

function renderResult(result: AdminResult): string {
  const toText = (value: AdminResult[string]) => (typeof value === 'boolean' ? flagWords[`${value}`] : value);
  const shown = Object.entries(result).map(([name, value]) => [labels[name] ?? toWords(name), toText(value)]);
  return renderLabelled(Object.fromEntries(shown), 12);
}

function toWords(field: string): string {
  const words = field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
