import { isLoopback } from '../service/url.ts';
import { toHidden } from './hidden.ts';
import { type Problem, renderFound } from './problems.ts';
import type { Config } from './schema.ts';

type Partially<T> = T extends readonly (infer Item)[]
  ? readonly Partially<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]?: Partially<T[Key]> | undefined }
    : T | undefined;

/** A configuration of which only the keys that are right by themselves are there. */
export type PartialConfig = Partially<Config>;

/** Values that are right one by one and impossible together. `isGiven` tells a value from a default. */
export function findCombinationProblems(
  config: PartialConfig,
  isGiven: (path: readonly string[]) => boolean,
): readonly Problem[] {
  return [...checkTransport(config), ...checkResetDay(config, isGiven), ...checkSchedule(config)];
}

/** What is allowed and still deserves a word at each start. */
export function findWarnings(config: Config, { hasPageToken }: { readonly hasPageToken: boolean }): readonly string[] {
  return [
    ...listAddresses(config)
      .filter(isInsecure)
      .map(
        ({ path, url, risk }) =>
          `${path.join('.')}: ${toHidden(url)} is spoken to without TLS, so ${risk} can be read on the way`,
      ),
    ...findPageWarnings({ place: 'status.listen', listen: config.status.listen, hasPageToken }),
    ...(config.gateway.blocked_ports.includes(25)
      ? []
      : ['gateway.blocked_ports: port 25 is open, so spam can be sent from your address']),
  ];
}

interface PageListen {
  /** Where the owner said so. */
  readonly place: string;
  /** ADDRESS:PORT; port 0 is no page. */
  readonly listen: string;
  readonly hasPageToken: boolean;
}

/** What others can do who reach the page. */
export function findPageWarnings({ place, listen, hasPageToken }: PageListen): readonly string[] {
  const port = listen.slice(listen.lastIndexOf(':') + 1);
  const host = listen.slice(0, listen.lastIndexOf(':'));
  if (Number(port) === 0 || isLoopback(host)) return [];
  return [
    `${place}: ${listen} shows the status page and the metrics to everyone who can reach that address`,
    ...(hasPageToken
      ? [`${place}: the page on ${listen} has no TLS, so its token, which sets the mode, can be read on the way`]
      : []),
  ];
}

interface Address {
  readonly path: readonly string[];
  readonly url: string | undefined;
  readonly allow: string;
  readonly isAllowed: boolean | undefined;
  /** What others can read when there is no TLS. */
  readonly risk: string;
}

/** What the agent asks or tells. */
function listAddresses({ service, report }: PartialConfig): readonly Address[] {
  return [
    {
      path: ['service', 'base_url'],
      url: service?.base_url,
      allow: 'service.allow_insecure_http',
      isAllowed: service?.allow_insecure_http,
      risk: 'tokens',
    },
    {
      path: ['report', 'mqtt', 'url'],
      url: report?.mqtt?.url,
      allow: 'report.mqtt.allow_insecure_mqtt',
      isAllowed: report?.mqtt?.allow_insecure_mqtt,
      risk: 'the password and the figures',
    },
    {
      path: ['report', 'webhook', 'url'],
      url: report?.webhook?.url,
      allow: 'report.webhook.allow_insecure_http',
      isAllowed: report?.webhook?.allow_insecure_http,
      risk: 'what is sent',
    },
  ];
}

function isInsecure(address: Address): address is Address & { readonly url: string } {
  const parsed = address.url === undefined ? null : URL.parse(address.url);
  return parsed !== null && ['http:', 'mqtt:'].includes(parsed.protocol) && !isLoopback(parsed.hostname);
}

function checkTransport(config: PartialConfig): readonly Problem[] {
  return listAddresses(config)
    .filter(isInsecure)
    .filter(({ isAllowed }) => isAllowed === false)
    .map(({ path, url, allow, risk }) => {
      const scheme = url.startsWith('mqtt') ? 'mqtts' : 'https';
      const allowed = `an ${scheme}:// address, or ${allow}: true beside it (${risk} can then be read on the way)`;
      return { path, text: renderFound(toHidden(url), allowed) };
    });
}

function checkResetDay(config: PartialConfig, isGiven: (path: readonly string[]) => boolean): readonly Problem[] {
  const path = ['provide', 'cap', 'reset_day'];
  const { period, reset_day: resetDay } = config.provide?.cap ?? {};
  if (resetDay === undefined || !isGiven(path)) return [];
  if (period === 'day') {
    return [{ path, text: renderFound(resetDay, 'none with period "day", which begins anew every midnight') }];
  }
  if (period === 'week' && resetDay > 7) {
    return [{ path, text: renderFound(resetDay, 'with period "week" 1 (Monday) to 7 (Sunday)') }];
  }
  return [];
}

function checkSchedule(config: PartialConfig): readonly Problem[] {
  const schedule = config.provide?.schedule ?? [];
  return schedule.flatMap((entry, index): Problem[] => {
    const cron = entry?.cron;
    const first = schedule.findIndex((other) => other?.cron === cron);
    if (cron === undefined || first === index) return [];
    const text = renderFound(cron, `another time than provide.schedule[${first}], which fires with it`);
    return [{ path: ['provide', 'schedule', index, 'cron'], text }];
  });
}
