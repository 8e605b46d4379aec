import { isIP, isIPv4 } from 'node:net';
import * as z from 'zod';
import { profileNames, provideModes } from '../service/profiles.ts';

/*
 * The configuration: every key, its default, its unit and what is allowed. The sample file, the JSON schema and the
 * environment's names all come from here.
 */

const byteFactors: Record<string, number> = {
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  TiB: 1024 ** 4,
};
const bytesPattern = /^(\d+(?:\.\d+)?)\s*(B|KB|MB|GB|TB|KiB|MiB|GiB|TiB)$/;
const ratePattern = /^(\d+(?:\.\d+)?)\s*(kbit|Mbit|Gbit)$/;
const rateFactors: Record<string, number> = { kbit: 1e3, Mbit: 1e6, Gbit: 1e9 };

/** An amount of data, `500 GB` or `1.5 TiB`; becomes bytes. */
const byteAmount = z
  .string()
  .regex(bytesPattern, 'an amount of data with its unit, such as "500 GB" or "1.5 TiB"')
  .transform((text) => {
    const match = bytesPattern.exec(text);
    return Math.round(Number(match?.[1]) * (byteFactors[match?.[2] ?? 'B'] ?? 1));
  });

/** A rate, `20 Mbit`; becomes bits per second. */
const bitRate = z
  .string()
  .regex(ratePattern, 'a rate with its unit, such as "20 Mbit" (per second)')
  .transform((text) => {
    const match = ratePattern.exec(text);
    return Math.round(Number(match?.[1]) * (rateFactors[match?.[2] ?? 'kbit'] ?? 1));
  });

const mode = z.enum(provideModes);

/** `10.0.0.0/8`, `2001:db8::/32` or a single address. */
const prefix = z.string().refine(isPrefix, 'an IPv4 or IPv6 address or prefix, such as "198.51.100.0/24"');

const port = z.int().min(1).max(65535);

/** Five fields: minute, hour, day of month, month, day of week. */
const cron = z
  .string()
  .refine((text) => text.trim().split(/\s+/).length === 5, 'a cron expression of five fields, such as "0 22 * * *"');

const timeZone = z.string().refine(isTimeZone, 'a time zone name, such as "Europe/Berlin"');

const interfaceName = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9_.-]{0,14}$/,
    'an interface name: a letter, then at most 14 letters, digits, "_", "." or "-"',
  );

const listen = z
  .string()
  .refine(isListenAddress, 'ADDRESS:PORT, such as "127.0.0.1:9469"; port 0 turns the listener off');

const serviceSection = z.strictObject({
  base_url: z.url({ protocol: /^https?$/, error: 'an https:// address' }),
  profile: z.enum(profileNames).optional(),
  allow_insecure_http: z.boolean().default(false),
});

const deviceSection = z.strictObject({
  description: z.string().min(1).max(200).optional(),
  spec: z.string().max(160).optional(),
});

const provideSection = z.strictObject({
  mode: mode.default('public'),
  time_zone: timeZone.optional(),
  schedule: z.array(z.strictObject({ cron, mode })).max(100).default([]),
  cap: z
    .strictObject({
      bytes: byteAmount,
      period: z.enum(['day', 'week', 'month']).default('month'),
      reset_day: z.int().min(1).max(31).default(1),
    })
    .optional(),
  rate_limit: z.strictObject({ up: bitRate.optional(), down: bitRate.optional() }).prefault({}),
});

const proxySection = z.strictObject({
  lock_caller_ip: z.boolean().optional(),
  lock_ips: z.array(z.string().refine((text) => isIP(text) !== 0, 'an IP address')).optional(),
  https_require_auth: z.boolean().optional(),
  country_code: z
    .string()
    .regex(/^[A-Za-z]{2}$/, 'a two-letter country code')
    .optional(),
});

const tunnelSection = z.strictObject({
  interface: interfaceName.default('tributary0'),
  backend: z.enum(['auto', 'kernel', 'userspace']).default('auto'),
  keepalive_seconds_default: z.int().min(5).max(21_600).default(60),
});

const gatewaySection = z.strictObject({
  enabled: z.boolean().default(true),
  uplink: interfaceName.optional(),
  allow_destinations: z.array(prefix).max(1000).default([]),
  blocked_ports: z.array(port).max(1000).default([25]),
  permit_seconds: z.int().min(5).max(600).default(60),
});

const reportSection = z.strictObject({
  cron: cron.default('*/15 * * * *'),
  ledger: z.boolean().default(true),
});

const statusSection = z.strictObject({
  listen: listen.default('127.0.0.1:9469'),
  socket: z.string().startsWith('/', 'an absolute path').max(100).optional(),
});

const logSection = z.strictObject({
  level: z.enum(['trace', 'debug', 'info', 'warn', 'error']).default('info'),
  format: z.enum(['auto', 'json', 'text']).default('auto'),
});

/** The whole configuration file. Unknown keys are errors: a misspelt limit must not pass for no limit. */
export const configSchema = z.strictObject({
  service: serviceSection,
  device: deviceSection.prefault({}),
  provide: provideSection.prefault({}),
  proxy: proxySection.prefault({}),
  tunnel: tunnelSection.prefault({}),
  gateway: gatewaySection.prefault({}),
  report: reportSection.prefault({}),
  status: statusSection.prefault({}),
  log: logSection.prefault({}),
});

/** The configuration as the agent uses it: defaults filled in, amounts in bytes, rates in bits per second. */
export type Config = z.output<typeof configSchema>;

function isPrefix(text: string): boolean {
  const [address = '', length, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (isIPv4(address) ? 32 : 128));
}

function isTimeZone(text: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

function isListenAddress(text: string): boolean {
  const match = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text);
  return match !== null && isIP(match[1] ?? match[2] ?? '') !== 0 && Number(match[3]) <= 65535;
}
