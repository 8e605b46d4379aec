import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import type { LoadedConfig } from '../../config/load.ts';
import { messageOf, toUndefined } from '../../errors/codes.ts';
import type { HostPort } from '../../lib/host-port.ts';
import { findPeriod } from '../../provide/period.ts';
import type { Logger } from '../../report/logger.ts';
import { isLoopback } from '../../service/url.ts';
import { toPageUrl } from '../../status/page-url.ts';
import { createStateFile } from '../../system/state-file.ts';
import type { Agent, AgentParts } from '../create-agent.ts';
import type { Loop } from '../run-loop.ts';
import { createNotifierLoops } from './notifier-loops.ts';
import { logSetAside } from './set-aside.ts';

export interface NotifierParts
  extends Pick<AgentParts, 'loaded' | 'log' | 'now'>,
    Pick<
      Agent,
      'facts' | 'overrides' | 'sample' | 'enforce' | 'history' | 'names' | 'noteDelivery'
    > {
  /** Where the status page listens; undefined without a page. */
  readonly page?: HostPort | undefined;
}

/**
 * The loops that tell others what the agent does. Code for a receiver is loaded only if one is
 * configured.
 */
export async function openNotifiers(parts: NotifierParts): Promise<readonly Loop[]> {
  const { mqtt, webhook } = parts.loaded.config.report;
  return [
    ...(webhook ? await openWebhook(parts, webhook) : []),
    ...(mqtt ? await openMqtt(parts, mqtt) : []),
  ];
}

/** Milestones that the owner was told, as the state file keeps them. */
export const toldSchema = z.object({
  periodStart: z.iso.datetime().optional(),
  capPercent: z.union([z.literal(0), z.literal(80), z.literal(100)]),
  isPayoutTold: z.boolean(),
});

type ReportConfig = LoadedConfig['config']['report'];

async function openWebhook(
  { loaded, facts, names, noteDelivery, log, now }: NotifierParts,
  config: NonNullable<ReportConfig['webhook']>,
) {
  const certificateAuthority = await readCertificate('webhook', config.ca_path, log);
  if (certificateAuthority === 'unreadable') return [];
  const { createWebhookNotifier } = await import('../../report/webhook-notifier.ts');
  const file = createStateFile({
    directory: loaded.stateDirectory,
    name: 'told',
    schema: toldSchema,
    onSetAside: logSetAside(log),
  });
  const notifier = createWebhookNotifier({
    url: config.url,
    format: config.format,
    certificateAuthority,
    names,
    secret: loaded.credentials.webhookSecret,
    told: await file.readOrSetAside().catch(toUndefined()),
    keepTold: (told) =>
      file.write(told).catch((error) => log.error({ reason: messageOf(error) }, 'webhook')),
    facts,
    now,
  });
  return createNotifierLoops(notifier, log, noteDelivery);
}

async function openMqtt(parts: NotifierParts, config: NonNullable<ReportConfig['mqtt']>) {
  const { loaded, facts, overrides, sample, enforce, names, noteDelivery, log, now } = parts;
  const certificateAuthority = await readCertificate('mqtt', config.ca_path, log);
  if (certificateAuthority === 'unreadable') return [];
  const { createMqttNotifier } = await import('../../report/mqtt-notifier.ts');
  const { url, username, topic, discovery_prefix: discoveryPrefix } = config;
  const notifier = createMqttNotifier({
    broker: { url, username, password: loaded.credentials.mqttPassword, certificateAuthority },
    names,
    topic,
    discoveryPrefix,
    allowControl: config.allow_control,
    // The address of a page on loopback is useless on other machines.
    pageUrl: parts.page && !isLoopback(parts.page.host) ? toPageUrl(parts.page) : undefined,
    setMode: (mode, forSeconds) =>
      enforce(mode === undefined ? overrides.clear() : overrides.set(mode, forSeconds)),
    facts,
    refresh: sample,
    todayBytes: () => readTodayBytes(parts),
    log,
    now,
  });
  return createNotifierLoops(notifier, log, noteDelivery);
}

/**
 * Bytes forwarded since the owner's midnight; undefined without a ledger, or with one that cannot
 * be read, which its loop reports.
 */
async function readTodayBytes({ history, facts, now }: NotifierParts): Promise<number | undefined> {
  const { start } = findPeriod({ period: 'day', resetDay: 1 }, now(), facts().timeZone);
  const hours = await history?.({ unit: 'hour', sinceMs: start.getTime() }).catch(toUndefined());
  return hours?.reduce((sum, { upBytes, downBytes }) => sum + upBytes + downBytes, 0);
}

/**
 * Without its certificate the receiver would always be refused. The device provides nevertheless.
 */
async function readCertificate(name: 'mqtt' | 'webhook', path: string | undefined, log: Logger) {
  if (path === undefined) return undefined;
  return readFile(path, 'utf8').catch((error: unknown) => {
    const reason = messageOf(error);
    log.error({ path, reason }, `report.${name}.ca_path cannot be read; nothing is sent there`);
    return 'unreadable';
  });
}
