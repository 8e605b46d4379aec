import { toNetworks } from '../lib/addresses.ts';
import { formatHostPort, type HostPort } from '../lib/host-port.ts';
import { parsePortRange } from '../lib/ports.ts';
import { hidePath, type Secret } from '../lib/secret.ts';
import { isLoopback } from '../service/url.ts';
import { splitDenied } from './deny-destinations.ts';
import type { PartialConfig } from './keys.ts';
import { expandPresets } from './port-presets.ts';
import { type Problem, renderFound } from './problems.ts';
import type { Config } from './schema.ts';
import { type ConfigTree, valueAt } from './tree.ts';

/**
 * Values that are right one by one but cannot be combined. `given` is the configuration without
 * defaults.
 */
export async function findCombinationProblems(
  config: PartialConfig,
  given: ConfigTree,
): Promise<readonly Problem[]> {
  return [
    ...checkTransport(config),
    ...checkInterfaces(config),
    ...checkResetDay(config, given),
    ...checkConnections(config),
    ...checkSchedule(config),
    ...checkDestinations(config),
    ...(await checkCronFields(config, given)),
  ];
}

/** Settings that are allowed but deserve a warning at each start. */
export function findWarnings(config: Config, pageToken: Secret | undefined): readonly string[] {
  return [
    ...findInsecure(config).map(
      ({ path, url, risk }) =>
        `${path.join('.')}: ${hidePath(url)} is used without TLS, so ${risk} can be read on the way`,
    ),
    ...findPageWarnings('status.listen', config.status.listen, pageToken),
    ...(blocksMail(config.gateway.blocked_ports)
      ? []
      : ['gateway.blocked_ports: port 25 is open, so spam can be sent from your address']),
  ];
}

function blocksMail(entries: Config['gateway']['blocked_ports']): boolean {
  return expandPresets(entries).some((entry) => {
    const range = parsePortRange(`${entry}`);
    return range !== undefined && range.protocol !== 'udp' && range.first <= 25 && range.last >= 25;
  });
}

/** What others who reach a page that listens there can do; port 0 stands for no page. */
export function findPageWarnings(
  place: string,
  listen: HostPort,
  pageToken: Secret | undefined,
): readonly string[] {
  if (listen.port === 0 || isLoopback(listen.host)) return [];
  const shown = formatHostPort(listen);
  return [
    `${place}: ${shown} shows the status page and the metrics to everyone who can reach that address`,
    ...(pageToken
      ? [
          `${place}: the page on ${shown} has no TLS, so its token, which sets the mode, can be read on the way`,
        ]
      : []),
  ];
}

/**
 * The addresses that the agent uses: each with the key that allows it without TLS, and what others
 * could read then.
 */
const addresses = [
  { path: ['service', 'base_url'], allow: 'allow_insecure_http', risk: 'tokens' },
  {
    path: ['report', 'mqtt', 'url'],
    allow: 'allow_insecure_mqtt',
    risk: 'the password and the figures',
  },
  { path: ['report', 'webhook', 'url'], allow: 'allow_insecure_http', risk: 'what is sent' },
] as const;

function findInsecure(config: PartialConfig) {
  const platforms = (config.connect?.urls ?? []).map((_, index) => ({
    path: ['connect', 'urls', index],
    allow: ['service', 'allow_insecure_http'],
    risk: 'tokens',
  }));
  const all = addresses.map((own) => ({ ...own, allow: [...own.path.slice(0, -1), own.allow] }));
  return [...all, ...platforms].flatMap(({ path, allow, risk }) => {
    const url = String(valueAt(config, path) ?? '');
    const parsed = URL.parse(url);
    if (
      parsed === null ||
      !['http:', 'mqtt:', 'ws:'].includes(parsed.protocol) ||
      isLoopback(parsed.hostname)
    )
      return [];
    return [{ path, url, risk, allow }];
  });
}

function checkTransport(config: PartialConfig): readonly Problem[] {
  return findInsecure(config)
    .filter(({ allow }) => valueAt(config, allow) === false)
    .map(({ path, url, allow, risk }) => {
      const scheme = `${URL.parse(url)?.protocol.slice(0, -1)}s`;
      const article = scheme === 'wss' ? 'a' : 'an';
      const allowed = `${article} ${scheme}:// address, or ${allow.join('.')}: true beside it (${risk} can then be read on the way)`;
      return { path, text: renderFound(hidePath(url), allowed) };
    });
}

/** Two devices cannot have one name. */
function checkInterfaces({ source, tunnel, connect }: PartialConfig): readonly Problem[] {
  const name = connect?.interface;
  if (source !== 'both' || name === undefined || name !== tunnel?.interface) return [];
  const text = renderFound(name, 'another name than tunnel.interface has');
  return [{ path: ['connect', 'interface'], text }];
}

function checkResetDay(config: PartialConfig, given: ConfigTree): readonly Problem[] {
  const path = ['provide', 'cap', 'reset_day'];
  const { period, reset_day: resetDay } = config.provide?.cap ?? {};
  if (resetDay === undefined || valueAt(given, path) === undefined) return [];
  const refuse = (allowed: string) => [{ path, text: renderFound(resetDay, allowed) }];
  if (period === 'day') return refuse('none with period "day", which begins every midnight');
  return period === 'week' && resetDay > 7
    ? refuse('with period "week" 1 (Monday) to 7 (Sunday)')
    : [];
}

const mostListFiles = 16;

function checkDestinations({ gateway }: PartialConfig): readonly Problem[] {
  const path = ['gateway', 'deny_destinations'];
  const entries = (gateway?.deny_destinations ?? []).map((entry) => entry ?? '');
  const allowed = toNetworks((gateway?.allow_destinations ?? []).map((entry) => entry ?? ''));
  const both = entries.flatMap((entry, index): Problem[] => {
    const [network] = toNetworks([entry]);
    if (network === undefined || !allowed.includes(network)) return [];
    return [
      {
        path: [...path, index],
        text: renderFound(entry, 'what is not in gateway.allow_destinations too'),
      },
    ];
  });
  const { files } = splitDenied(entries);
  if (files.length <= mostListFiles) return both;
  return [
    ...both,
    { path, text: renderFound(`${files.length} files`, `at most ${mostListFiles}`) },
  ];
}

/**
 * One consumer cannot have more connections than all together, and no more can wait than exist. 0
 * means no ceiling.
 */
function checkConnections({ gateway }: PartialConfig): readonly Problem[] {
  const given = gateway?.connections ?? {};
  const above = (name: keyof typeof given, of: keyof typeof given): Problem[] => {
    const [value, most] = [given[name], given[of]];
    if (value === undefined || most === undefined || most === 0 || value <= most) return [];
    const text = renderFound(value, `at most gateway.connections.${of} (${most})`);
    return [{ path: ['gateway', 'connections', name], text }];
  };
  const ofHalfOpen = given.per_consumer === undefined ? 'total' : 'per_consumer';
  return [...above('per_consumer', 'total'), ...above('half_open', ofHalfOpen)];
}

const toCronPath = (index: number) => ['provide', 'schedule', index, 'cron'];

function checkSchedule(config: PartialConfig): readonly Problem[] {
  const schedule = config.provide?.schedule ?? [];
  return schedule.flatMap((entry, index): Problem[] => {
    const cron = entry?.cron;
    const first = schedule.findIndex((other) => toPlainCron(other?.cron) === toPlainCron(cron));
    if (cron === undefined || first === index) return [];
    const text = renderFound(cron, `another time: provide.schedule[${first}] begins then too`);
    return [{ path: toCronPath(index), text }];
  });
}

/** A cron expression without zeros before a number, which change nothing. */
function toPlainCron(cron: string | undefined): string | undefined {
  return cron?.replaceAll(/\b0+(?=\d)/g, '');
}

async function checkCronFields(
  { provide, report }: PartialConfig,
  tree: ConfigTree,
): Promise<readonly Problem[]> {
  const ofSchedule = (provide?.schedule ?? []).map((entry, index) => ({
    path: toCronPath(index),
    cron: entry?.cron,
  }));
  const all = [...ofSchedule, { path: ['report', 'cron'], cron: report?.cron }];
  const given = all.filter(({ path }) => valueAt(tree, path) !== undefined);
  if (given.length === 0) return [];
  // Loaded at the first use: most configurations have no cron expression.
  const { validateDetailed } = await import('node-cron');
  return given.flatMap(({ path, cron }): Problem[] => {
    const error = cron === undefined ? undefined : validateDetailed(cron).errors[0];
    if (error === undefined) return [];
    const isWhole = error.value === cron || error.value === undefined;
    const wrong = isWhole ? '' : ` (its ${error.field} ${error.value} is out of range)`;
    return [{ path, text: renderFound(cron, `a valid five-field cron expression${wrong}`) }];
  });
}
