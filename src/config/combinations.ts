import { isLoopback } from '../service/url.ts';
import { type Problem, toFoundText } from './problems.ts';
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
export function findWarnings(config: Config): readonly string[] {
  const { listen } = config.status;
  const port = listen.slice(listen.lastIndexOf(':') + 1);
  const host = listen.slice(0, listen.lastIndexOf(':'));
  return [
    ...(isInsecure(config)
      ? [`service.base_url: ${config.service.base_url} is asked without TLS, so tokens can be read on the way`]
      : []),
    ...(Number(port) !== 0 && !isLoopback(host)
      ? [`status.listen: ${listen} shows the status page and the metrics to everyone who can reach that address`]
      : []),
    ...(config.gateway.blocked_ports.includes(25)
      ? []
      : ['gateway.blocked_ports: port 25 is open, so spam can be sent from your address']),
  ];
}

function isInsecure(config: PartialConfig): boolean {
  const url = URL.parse(config.service?.base_url ?? '');
  return url?.protocol === 'http:' && !isLoopback(url.hostname);
}

function checkTransport(config: PartialConfig): readonly Problem[] {
  if (!isInsecure(config) || config.service?.allow_insecure_http !== false) return [];
  const allowed =
    'an https:// address, or service.allow_insecure_http: true beside it (tokens can then be read on the way)';
  return [{ path: ['service', 'base_url'], text: toFoundText(config.service.base_url, allowed) }];
}

function checkResetDay(config: PartialConfig, isGiven: (path: readonly string[]) => boolean): readonly Problem[] {
  const path = ['provide', 'cap', 'reset_day'];
  const { period, reset_day: resetDay } = config.provide?.cap ?? {};
  if (resetDay === undefined || !isGiven(path)) return [];
  if (period === 'day') {
    return [{ path, text: toFoundText(resetDay, 'none with period "day", which begins anew every midnight') }];
  }
  if (period === 'week' && resetDay > 7) {
    return [{ path, text: toFoundText(resetDay, 'with period "week" 1 (Monday) to 7 (Sunday)') }];
  }
  return [];
}

function checkSchedule(config: PartialConfig): readonly Problem[] {
  const schedule = config.provide?.schedule ?? [];
  return schedule.flatMap((entry, index): Problem[] => {
    const cron = entry?.cron;
    const first = schedule.findIndex((other) => other?.cron === cron);
    if (cron === undefined || first === index) return [];
    const text = toFoundText(cron, `another time than provide.schedule[${first}], which fires with it`);
    return [{ path: ['provide', 'schedule', index, 'cron'], text }];
  });
}
