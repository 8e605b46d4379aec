import * as z from 'zod';
import { profileNames, provideModes } from '../service/profiles.ts';
import { mqttSection, webhookSection } from './notifiers.ts';
import {
  bitRate,
  byteAmount,
  cronExpression,
  deniedDestination,
  filePath,
  hostAndPort,
  hostName,
  interfaceName,
  ipAddress,
  line,
  listenAddress,
  listOf,
  offByDefault,
  oneOf,
  portEntry,
  prefix,
  serviceUrl,
  socketPath,
  textLike,
  timeZoneName,
  trueOrFalse,
  wholeNumber,
} from './values.ts';

// JSON schema, names in the environment and messages of errors are all made from here. A test
// compares the sample file with it.

const serviceSection = z
  .strictObject({
    base_url: serviceUrl.describe(
      'Address of the service; https:// except to this machine itself.',
    ),
    profile: oneOf(profileNames)
      .optional()
      .describe(
        'Wire dialect that the service speaks; the numbers of the modes depend on it. Absent: documented.',
      ),
    allow_insecure_http: offByDefault.describe(
      'Allows a base_url without TLS: tokens can then be read on the way.',
    ),
    ca_file: filePath.describe(
      'File with the certificates that alone vouch for the service, as PEM; absent: those that Node knows.',
    ),
    renew_seconds_default: wholeNumber(5, 21_600)
      .default(60)
      .describe(
        'Seconds between two renewals of the registration when the service names no interval.',
      ),
  })
  .describe('The service that this device is registered with.');

const deviceSection = z
  .strictObject({
    description: line(1, 200)
      .optional()
      .describe("Name shown for this device; absent: the host's name."),
    spec: line(1, 160)
      .optional()
      .describe('Hardware and software of this device; absent: found out by the agent.'),
  })
  .describe('How this device presents itself.');

const rateLimit = z
  .strictObject({
    line: bitRate
      .optional()
      .describe(
        'Most that sharing puts on your line, each way, with unit: "20 Mbit". Absent: no limit.',
      ),
    up: bitRate
      .optional()
      .describe('In place of line: the smaller of up and down counts, and holds each way.'),
    down: bitRate
      .optional()
      .describe('In place of line: the smaller of up and down counts, and holds each way.'),
  })
  .refine(({ line: both, up, down }) => both === undefined || (up ?? down) === undefined, {
    path: ['line'],
    error: 'line alone, or up and down in its place',
  })
  .describe('Most data per second.');

const scheduleEntry = z.strictObject({
  cron: cronExpression.describe(
    'Minute, hour, day of month, month, day of week: when the mode begins.',
  ),
  mode: oneOf(provideModes).describe('Mode from then on, until another entry fires.'),
  rate_limit: rateLimit.optional().describe('Limit as long; absent: provide.rate_limit.'),
});

const cap = z
  .strictObject({
    bytes: byteAmount.describe(
      'Data forwarded in one period, both directions together, with unit: "500 GB".',
    ),
    period: oneOf(['day', 'week', 'month'])
      .default('month')
      .describe('How often the count begins again at zero.'),
    reset_day: wholeNumber(1, 31)
      .default(1)
      .describe(
        'Day on which a month begins (a shorter month: its last day), or a week (1 is Monday, 7 Sunday).',
      ),
    counts: oneOf(['share', 'line'])
      .default('share')
      .describe('"line": as a provider counts that counts both ways, 2.1 times what is forwarded.'),
  })
  .describe(
    'Most data in a period; when it is reached, the mode is "none" until the next one. Absent: no cap.',
  );

const provideSection = z
  .strictObject({
    mode: oneOf(provideModes)
      .default('public')
      .describe('Who may use this device when no schedule says otherwise.'),
    cap: cap.optional(),
    rate_limit: rateLimit.prefault({}),
    household: oneOf(['first', 'off'])
      .default('first')
      .describe(
        '"first": sharing slows down while your line is full, so that your own traffic comes first.',
      ),
    schedule: listOf(scheduleEntry, 100).default([]).describe('Modes and limits by the clock.'),
    time_zone: timeZoneName
      .optional()
      .describe("Time zone of schedule, cap and page; absent: the system's."),
  })
  .describe('How much of the connection is shared, with whom and when.');

const proxySection = z
  .strictObject({
    lock_caller_ip: trueOrFalse
      .optional()
      .describe("Allows the proxy to this device's own public address only."),
    lock_ips: listOf(ipAddress, 1000)
      .optional()
      .describe('Addresses that may use the proxy; absent: all.'),
    https_require_auth: trueOrFalse.optional().describe('The HTTPS proxy asks for its token.'),
    country_code: textLike(/^[A-Za-z]{2}$/, 'a two-letter country code, such as "de"')
      .optional()
      .describe('Two-letter code of the country to connect in.'),
  })
  .describe('The proxy that the service sets up for this device; taken when it is registered.');

const tunnelSection = z
  .strictObject({
    interface: interfaceName.default('tributary0').describe('Name of the WireGuard interface.'),
    backend: oneOf(['auto', 'kernel', 'userspace'])
      .default('auto')
      .describe('Who carries WireGuard: the kernel, wireguard-go, or the first that works.'),
  })
  .describe('The WireGuard tunnel.');

const connectionCount = wholeNumber(0, 1_000_000).optional();

const gatewaySection = z
  .strictObject({
    enabled: trueOrFalse
      .default(true)
      .describe('Forwards traffic; false: registered and connected only.'),
    uplink: interfaceName
      .optional()
      .describe('Interface that leads to the Internet; absent: of the default route.'),
    allow_destinations: listOf(prefix, 1000)
      .default([])
      .describe(
        'Private addresses or prefixes that consumers may reach all the same. Dangerous; none by default.',
      ),
    deny_destinations: listOf(deniedDestination, 1000)
      .default([])
      .describe(
        'Addresses, prefixes and files of them ("file:/…") that consumers may not reach, whatever else allows it.',
      ),
    blocked_ports: listOf(portEntry, 1000)
      .default([25])
      .describe(
        'Ports that consumers may not reach: 25, "6881-6889", "udp/1900", or by name: mail, file-sharing, scanning, web-only. 25 is how spam is sent.',
      ),
    connections: z
      .strictObject({
        per_consumer: connectionCount.describe(
          'Connections of each consumer address (IPv6: of each /64). Beyond it all addresses share as many as four of them have. Absent: a sixteenth of total.',
        ),
        total: connectionCount.describe(
          'Connections of all consumers. Absent: by the memory, 8192 at most.',
        ),
        new_per_second: connectionCount.describe(
          'New connections per second of each address, four times as many at once. Absent: by total, 64 at most.',
        ),
        half_open: connectionCount.describe(
          'TCP connections of each address that got no answer yet. Absent: half of per_consumer.',
        ),
      })
      .prefault({})
      .describe(
        'Ceilings for consumers, so that one of them leaves room for the others and for you; 0: none.',
      ),
    low_priority: trueOrFalse
      .default(true)
      .describe(
        'Marks what is shared as Lower Effort (RFC 8622): routers that know the mark put it last.',
      ),
    public_address: z
      .strictObject({
        ask_router: trueOrFalse.default(true).describe('Asks the router for it by NAT-PMP or PCP.'),
        upnp: offByDefault.describe('Asks the router by UPnP as well.'),
        stun: hostAndPort
          .optional()
          .describe(
            'A STUN server on the Internet to ask as well, HOST:PORT. It learns that this device exists.',
          ),
      })
      .prefault({})
      .describe(
        "How the home's public address is found out, at which consumers could reach what the router shows.",
      ),
    permit_seconds: wholeNumber(5, 600)
      .default(60)
      .describe('Seconds after which the kernel stops forwarding when the agent is gone.'),
  })
  .describe('Forwarding between tunnel and Internet.');

const reportSection = z
  .strictObject({
    cron: cronExpression
      .default('*/15 * * * *')
      .describe('When a report is made, up to 15 minutes later.'),
    ledger: trueOrFalse
      .default(true)
      .describe('Keeps hours and days of what was shared, for years.'),
    mqtt: mqttSection.optional(),
    webhook: webhookSection.optional(),
  })
  .describe('Reports of what was shared.');

const statusSection = z
  .strictObject({
    listen: listenAddress
      .prefault('127.0.0.1:9469')
      .describe('ADDRESS:PORT of the status page and the metrics; port 0 turns them off.'),
    allowed_hosts: listOf(hostName, 100)
      .default([])
      .describe("Further names by which the page may be asked for, such as a reverse proxy's."),
    socket: socketPath
      .optional()
      .describe('Control socket; absent: /run/tributary/tributary.sock for root.'),
  })
  .describe('Where the agent answers.');

const logSection = z
  .strictObject({
    level: oneOf(['trace', 'debug', 'info', 'warn', 'error'])
      .default('info')
      .describe('Least level that is written.'),
    format: oneOf(['auto', 'json', 'text'])
      .default('auto')
      .describe(
        '"auto": text at a terminal and in the journal of systemd, with its priorities; JSON in containers.',
      ),
  })
  .describe('The log.');

/**
 * The whole configuration file. Unknown keys are errors, because a misspelt limit must not count as
 * no limit.
 */
export const configSchema = z
  .strictObject({
    service: serviceSection,
    provide: provideSection.prefault({}),
    device: deviceSection.prefault({}),
    proxy: proxySection.prefault({}),
    tunnel: tunnelSection.prefault({}),
    gateway: gatewaySection.prefault({}),
    report: reportSection.prefault({}),
    status: statusSection.prefault({}),
    log: logSection.prefault({}),
  })
  .describe('Configuration of tributary.');

/**
 * The configuration as the agent uses it: defaults filled in, amounts in bytes, rates in bits per
 * second.
 */
export type Config = z.output<typeof configSchema>;
