import { isIP } from 'node:net';
import { type ProfileName, profileNames } from '../../service/profiles.ts';
import type { ReferenceService } from '../server.ts';
import {
  parseInterface,
  parseNumber,
  refuseOption,
  renderLabelled,
  type SandboxCommand,
  type SharedOptions,
} from './command.ts';
import { waitForStop } from './wait-for-stop.ts';

/** Numbers are texts, as they were typed. */
interface ServeOptions extends SharedOptions {
  readonly listen: string;
  readonly profile: ProfileName;
  readonly proxyHost?: string;
  readonly wireguard: 'auto' | 'on' | 'off';
  readonly wireguardPort: string;
  readonly wireguardInterface: string;
  readonly consumers?: string;
  readonly keepaliveSeconds?: string;
  readonly clientLimit?: string;
  readonly tokenSeconds?: string;
  readonly hasten: string;
}

/** Runs the reference service until SIGINT or SIGTERM. */
export function createServeCommand(program: string): SandboxCommand<ServeOptions> {
  return {
    usage: 'sandbox',
    description: 'run a local service with the same interface, for development and tests',
    examples: { [`${program} --data ./sandbox`]: 'until Ctrl-C, on a free port' },
    options: {
      '--data <directory>': [
        'where it keeps its database; created if missing',
        (own) => own.makeOptionMandatory(),
      ],
      '--listen <address:port>': [
        'where it serves HTTP; port 0 picks a free one',
        (own) => own.default('127.0.0.1:0'),
      ],
      '--profile <name>': [
        'profile that it speaks',
        (own) => own.choices(profileNames).default('documented'),
      ],
      '--proxy-host <host>': 'tunnel host that registrations name (default: the listen address)',
      '--wireguard <when>': [
        'a real WireGuard endpoint',
        (own) => own.choices(['auto', 'on', 'off']).default('auto'),
      ],
      '--wireguard-port <port>': [
        'UDP port of that endpoint; 0 picks and keeps a free one',
        (own) => own.default('0'),
      ],
      '--wireguard-interface <name>': [
        'interface of that endpoint',
        (own) => own.default('trib-ref0'),
      ],
      '--consumers <interface>': "interface by which consumers' traffic arrives",
      '--keepalive-seconds <seconds>':
        'keep-alive interval in registrations (default: 25; production: always 0)',
      '--client-limit <number>': 'devices that one network may have (default: 100000)',
      '--token-seconds <seconds>': 'how long tokens are good (default: 2592000, 30 days)',
      '--hasten <number>': [
        "seconds of the platform's clock in one: contracts age by it",
        (own) => own.default('1'),
      ],
      '--json': 'one JSON object on the first line',
    },
    async act({ options, show }) {
      const settings = {
        directory: options.data,
        listen: parseListenAddress(options.listen),
        profile: options.profile,
        proxyHost: options.proxyHost,
        wireGuard: options.wireguard,
        wireGuardPort: parseNumber('--wireguard-port', options.wireguardPort, { most: 65_535 }),
        wireGuardInterface: parseInterface('--wireguard-interface', options.wireguardInterface),
        consumersInterface:
          options.consumers === undefined
            ? undefined
            : parseInterface('--consumers', options.consumers),
        keepaliveSeconds: parseOptional('--keepalive-seconds', options.keepaliveSeconds, 86_400),
        clientLimit: parseOptional('--client-limit', options.clientLimit, 999_999),
        tokenSeconds: parseOptional('--token-seconds', options.tokenSeconds, 31_536_000),
        hasten: parseNumber('--hasten', options.hasten, { least: 1, most: 1000 }),
      };
      // Loaded at the first use: no other command needs a database or an HTTP server.
      const { startReferenceService } = await import('../server.ts');
      const stopped = waitForStop();
      const service = await startReferenceService(settings);
      const { baseUrl, authCode, guestJwt, profile, wireGuard: wireguard } = service;
      await show({ baseUrl, authCode, guestJwt, profile, wireguard }, () =>
        renderText(service, `${program} guest --data ${options.data}`),
      );
      await stopped;
      await service.close();
    },
  };
}

function renderText(
  { baseUrl, authCode, profile, wireGuard }: ReferenceService,
  guestCommand: string,
): string {
  const isOn = wireGuard.state === 'on';
  const values = {
    Service: `${baseUrl} (profile ${profile})`,
    'Auth code': `${authCode} (one sign-in, within 10 minutes)`,
    'Guest JWT': guestCommand,
    WireGuard: isOn
      ? `${wireGuard.interface} (${wireGuard.backend}), UDP port ${wireGuard.port}`
      : `off: ${wireGuard.reason}`,
  };
  return `${renderLabelled(values)}Ctrl-C stops it.\n`;
}

function parseListenAddress(text: string): { readonly address: string; readonly port: number } {
  const match = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text);
  const address = match?.[1] ?? match?.[2] ?? '';
  if (isIP(address) === 0)
    throw refuseOption('--listen', text, 'ADDRESS:PORT, such as 127.0.0.1:0');
  return { address, port: parseNumber('--listen', match?.[3] ?? '', { most: 65_535 }) };
}

function parseOptional(option: string, text: string | undefined, most: number): number | undefined {
  return text === undefined ? undefined : parseNumber(option, text, { most });
}
