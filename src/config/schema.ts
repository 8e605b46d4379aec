import * as z from 'zod';
import { profileNames } from '../service/profiles.ts';
import { connectSection, trafficSources } from './connect-section.ts';
import { gatewaySection } from './gateway-section.ts';
import { mqttSection, webhookSection } from './notifier-sections.ts';
import { provideSection } from './provide-section.ts';
import {
  cronExpression,
  filePath,
  hostName,
  interfaceName,
  ipAddress,
  line,
  listenAddress,
  listOf,
  offByDefault,
  oneOf,
  serviceUrl,
  socketPath,
  textLike,
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
    source: oneOf(trafficSources)
      .default('wireguard')
      .describe(
        "Where consumers' traffic comes from: the tunnel that the service issues, the network's own protocol, or both.",
      ),
    tunnel: tunnelSection.prefault({}),
    connect: connectSection.prefault({}),
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
