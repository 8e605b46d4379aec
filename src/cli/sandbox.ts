import { once } from 'node:events';
import { isIP } from 'node:net';
import { type Command, Option } from 'commander';
import { toPlainJson } from '../lib/plain-text.ts';
import type { ReferenceService } from '../reference-service/server.ts';
import { type ProfileName, profileNames } from '../service/profiles.ts';
import type { CommandContext } from './context.ts';
import { renderLabelled } from './present/text.ts';
import { parseNumber, refuseOption } from './refuse.ts';
import { registerSandboxAdmin } from './sandbox-admin.ts';
import { registerSandboxSeed } from './sandbox-seed.ts';

interface SandboxOptions {
  readonly listen: string;
  readonly data: string;
  readonly profile: ProfileName;
  readonly proxyHost?: string;
  readonly wireguard: 'auto' | 'on' | 'off';
  readonly wireguardPort: string;
  readonly wireguardInterface: string;
  readonly consumers?: string;
  readonly keepaliveSeconds?: string;
  readonly clientLimit?: string;
  readonly json?: boolean;
}

/** Adds `tributary sandbox`: the reference service, until SIGINT or SIGTERM, and the commands of its administrator. */
export function registerSandbox(program: Command, context: CommandContext): void {
  const sandbox = program
    .command('sandbox')
    .description('run a local service of the same interface, to develop and try against')
    .requiredOption('--data <directory>', 'where it keeps its database; made where it is not there')
    .option('--listen <address:port>', 'where it serves HTTP; port 0 picks a free one', '127.0.0.1:0')
    .addOption(new Option('--profile <name>', 'wire dialect').choices(profileNames).default('documented'))
    .option('--proxy-host <host>', 'what registrations name as the other end (default: the listen address)')
    .addOption(new Option('--wireguard <when>', 'a real WireGuard end').choices(['auto', 'on', 'off']).default('auto'))
    .option('--wireguard-port <port>', 'its UDP port; 0 picks a free one and keeps it', '0')
    .option('--wireguard-interface <name>', 'its interface', 'trib-ref0')
    .option('--consumers <interface>', "interface by which consumers' traffic arrives")
    .option('--keepalive-seconds <seconds>', 'what registrations say (default: 25; production: always 0)')
    .option('--client-limit <number>', 'devices that one network may have (default: 100000)')
    .option('--json', 'one JSON object on the first line')
    .action(runSandbox);
  // Commander reads --data and --json here also where they stand behind a subcommand, which has them from `optsWithGlobals`.
  registerSandboxAdmin(sandbox, context);
  registerSandboxSeed(sandbox, context);
}

async function runSandbox(options: SandboxOptions): Promise<void> {
  const settings = {
    directory: options.data,
    listen: parseListenAddress(options.listen),
    profile: options.profile,
    proxyHost: options.proxyHost,
    wireGuard: options.wireguard,
    wireGuardPort: parseNumber('--wireguard-port', options.wireguardPort, { most: 65_535 }),
    wireGuardInterface: parseInterface('--wireguard-interface', options.wireguardInterface),
    consumersInterface: options.consumers === undefined ? undefined : parseInterface('--consumers', options.consumers),
    keepaliveSeconds: parseOptional('--keepalive-seconds', options.keepaliveSeconds, 86_400),
    clientLimit: parseOptional('--client-limit', options.clientLimit, 999_999),
  };
  // Loaded late: no other command needs a database or an HTTP server.
  const { startReferenceService } = await import('../reference-service/server.ts');
  const stopped = waitForStop();
  const service = await startReferenceService(settings);
  const { baseUrl, authCode, guestJwt, profile, wireGuard: wireguard } = service;
  const json = toPlainJson({ baseUrl, authCode, guestJwt, profile, wireguard });
  process.stdout.write(options.json === true ? `${json}\n` : renderText(service, options.data));
  await stopped;
  await service.close();
}

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
async function waitForStop(): Promise<void> {
  const first = new AbortController();
  await Promise.race(['SIGINT', 'SIGTERM'].map((name) => once(process, name, { signal: first.signal })));
  first.abort();
}

function renderText({ baseUrl, authCode, profile, wireGuard }: ReferenceService, directory: string): string {
  const isOn = wireGuard.state === 'on';
  const values = {
    Service: `${baseUrl} (profile ${profile})`,
    'Auth code': `${authCode} (one login, within 10 minutes)`,
    'Guest JWT': `tributary sandbox guest --data ${directory}`,
    WireGuard: isOn
      ? `${wireGuard.interface} (${wireGuard.backend}), UDP port ${wireGuard.port}`
      : `off: ${wireGuard.reason}`,
  };
  return `${renderLabelled(values, 12)}Ctrl-C stops it.\n`;
}

function parseListenAddress(text: string): { readonly address: string; readonly port: number } {
  const match = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text);
  const address = match?.[1] ?? match?.[2] ?? '';
  if (isIP(address) === 0) throw refuseOption('--listen', text, 'ADDRESS:PORT, such as 127.0.0.1:0');
  return { address, port: parseNumber('--listen', match?.[3] ?? '', { most: 65_535 }) };
}

function parseOptional(option: string, text: string | undefined, most: number): number | undefined {
  return text === undefined ? undefined : parseNumber(option, text, { most });
}

function parseInterface(option: string, text: string): string {
  if (/^[A-Za-z][A-Za-z0-9_.-]{0,14}$/.test(text)) return text;
  throw refuseOption(option, text, 'the name of an interface');
}
