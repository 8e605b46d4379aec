import type { Option } from 'commander';
import type { AdminCommandName, AdminResult } from '../admin-commands.ts';
import {
  type Flag,
  refuseOption,
  renderLabelled,
  type SandboxCommand,
  type SharedOptions,
} from './command.ts';

/** An option of the administrator's commands. */
interface AdminOption {
  /** Where its value goes in the request. */
  readonly field: string;
  readonly flags: string;
  readonly meaning: Flag;
}

/** By the names that commander gives their values. */
const options = {
  network: {
    field: 'network',
    flags: '--network <network>',
    meaning: 'by name or id (default: the first)',
  },
  minutes: {
    field: 'durationMinutes',
    flags: '--minutes <number>',
    meaning: ['minutes until it expires (default: 10)', readMinutes],
  },
  uses: {
    field: 'uses',
    flags: '--uses <number>',
    meaning: ['how many sign-ins it allows (default: 1)', readUses],
  },
  public: {
    field: 'isPublic',
    flags: '--public',
    meaning: 'everybody may see its name',
  },
  deviceName: {
    field: 'deviceName',
    flags: '--device-name <name>',
    meaning: "what it is called there (default: the client's name)",
  },
  blockchain: {
    field: 'blockchain',
    flags: '--blockchain <name>',
    meaning: 'SOL or MATIC (default: SOL)',
  },
  type: {
    field: 'walletType',
    flags: '--type <type>',
    meaning: 'external or managed (default: external)',
  },
  inactive: {
    field: 'isActive',
    flags: '--inactive',
    meaning: ['payouts may not go there', (option: Option) => option.preset(false)],
  },
  refuse: {
    field: 'refuseSeconds',
    flags: '--refuse <seconds>',
    meaning: ['refuse new sockets for so long (default: 0)', readSeconds],
  },
} as const satisfies Readonly<Record<string, AdminOption>>;

interface AdminCommandRow {
  readonly usage: string;
  readonly description: string;
  /** Where the words of the usage go in the request, in their order. */
  readonly fields?: readonly string[];
  readonly options?: readonly (keyof typeof options)[];
  readonly example: {
    /** What is typed after the program's name and before `--data`. */
    readonly words: string;
    readonly purpose: string;
  };
}

const rows: Readonly<Record<AdminCommandName, AdminCommandRow>> = {
  createNetwork: {
    usage: 'network <name>',
    description: 'make another network, and print its id, a network JWT and an auth code',
    fields: ['networkName'],
    options: ['public'],
    example: { words: 'network neighbour', purpose: 'a second network, to share devices with' },
  },
  createGuest: {
    usage: 'guest',
    description: 'make a guest session, and print its guest JWT',
    example: { words: 'guest', purpose: 'for trying account upgrade' },
  },
  createAuthCode: {
    usage: 'auth-code',
    description: 'make a code to sign in with',
    options: ['network', 'minutes', 'uses'],
    example: {
      words: 'auth-code --minutes 60 --uses 3',
      purpose: 'for three devices, within the hour',
    },
  },
  createResetCode: {
    usage: 'reset-code',
    description: 'make a code to set a new password with, as it would come by e-mail',
    options: ['network', 'minutes'],
    example: { words: 'reset-code', purpose: 'for trying account set-password' },
  },
  createAdoptCode: {
    usage: 'adopt-code <client>',
    description: 'make a code that hands a client over to another network',
    fields: ['clientId'],
    options: ['network', 'minutes', 'deviceName'],
    example: {
      words: 'adopt-code 9daace15-9c40-45e6-89bc-27226b8c7803',
      purpose: 'for trying device add',
    },
  },
  addWallet: {
    usage: 'wallet <address>',
    description: 'register a wallet for payouts',
    fields: ['walletAddress'],
    options: ['network', 'blockchain', 'type', 'inactive'],
    example: {
      words: 'wallet 0x52908400098527886E0F7030069857D2E4169EE7 --blockchain MATIC',
      purpose: 'a wallet to receive payouts',
    },
  },
  locateClient: {
    usage: 'locate <client> <place>',
    description: 'say where a client is: a city, or a region or country for its first',
    fields: ['clientId', 'place'],
    options: ['network'],
    example: {
      words: 'locate 9daace15-9c40-45e6-89bc-27226b8c7803 Berlin',
      purpose: 'put it in Berlin',
    },
  },
  setBalance: {
    usage: 'balance <GiB>',
    description: "say how much a network may still use of others' providers",
    fields: ['gib'],
    options: ['network'],
    example: { words: 'balance 0 --network consumers', purpose: 'a consumer that cannot pay' },
  },
  drainPlatform: {
    usage: 'drain',
    description: 'have connected clients come back by new sockets, as when a host drains',
    options: ['refuse'],
    example: { words: 'drain --refuse 30', purpose: 'as by a host that takes nobody more' },
  },
  hastenPlatform: {
    usage: 'hasten <number>',
    description: "let so many seconds of the platform's clock pass in one",
    fields: ['rate'],
    example: { words: 'hasten 60', purpose: 'a minute in a second' },
  },
};

/** Commands for what the interface itself cannot make. */
export function createAdminCommands(program: string): readonly SandboxCommand<SharedOptions>[] {
  return Object.entries(rows).map(([name, row]) =>
    // The keys of the rows are the names of the commands.
    createAdminCommand(program, name as AdminCommandName, row),
  );
}

function createAdminCommand(
  program: string,
  name: AdminCommandName,
  { usage, description, fields = [], options: taken = [], example }: AdminCommandRow,
): SandboxCommand<SharedOptions> {
  return {
    usage,
    description,
    options: Object.fromEntries(taken.map((own) => [options[own].flags, options[own].meaning])),
    examples: { [`${program} ${example.words} --data ./sandbox`]: example.purpose },
    async act({ words, options: given, show }) {
      const values = new Map<string, unknown>(Object.entries(given));
      // The administrator's command checks these values.
      const request = Object.fromEntries([
        ...fields.map((field, index) => [field, words[index]]),
        ...taken.map((own) => [options[own].field, values.get(own)]),
      ]);
      const { administer } = await import('../admin-commands.ts');
      const result = await administer(given.data, name, request);
      await show(result, () => renderResult(result));
    },
  };
}

function readMinutes(option: Option): Option {
  const allowed = 'a number above 0, and at most 527040, a year';
  return readAmount(option, allowed, (minutes) => minutes > 0 && minutes <= 527_040);
}

function readUses(option: Option): Option {
  return readAmount(option, 'a whole number from 1 to 1000000', (uses) => {
    return Number.isInteger(uses) && uses >= 1 && uses <= 1_000_000;
  });
}

function readSeconds(option: Option): Option {
  const allowed = 'a number of seconds, at most 86400, a day';
  return readAmount(option, allowed, (seconds) => seconds <= 86_400);
}

/**
 * Has the option take a number of at most nine digits before and behind the point, as `allowed`
 * says it.
 */
function readAmount(
  option: Option,
  allowed: string,
  isAllowed: (amount: number) => boolean,
): Option {
  return option.argParser((text) => {
    if (/^\d{1,9}(\.\d{1,9})?$/.test(text) && isAllowed(Number(text))) return Number(text);
    throw refuseOption(option.long ?? '', text, allowed);
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
    typeof value === 'boolean' ? (value ? 'yes' : 'no') : value;
  const shown = Object.entries(result).map(([name, value]) => [
    labels[name] ?? toWords(name),
    toText(value),
  ]);
  return renderLabelled(Object.fromEntries(shown));
}

function toWords(field: string): string {
  const words = field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
