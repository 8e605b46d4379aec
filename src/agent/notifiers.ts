import { readFile } from 'node:fs/promises';
import type { LoadedConfig } from '../config/load.ts';
import type { Facts } from '../health/facts.ts';
import { messageOf, TributaryError } from '../lib/errors.ts';
import { toPeriod } from '../provide/period.ts';
import type { TimeZone } from '../provide/zone.ts';
import type { Logger } from '../report/logger.ts';
import type { StatusSource } from '../status/source.ts';
import type { Loop } from './loops/run-loop.ts';
import type { Overrides } from './overrides.ts';
import type { Sampler } from './sampler.ts';

export interface NoticesParts {
  readonly loaded: LoadedConfig;
  readonly facts: () => Facts;
  readonly overrides: Overrides;
  readonly sample: Sampler;
  /** Resolves when what was changed is in force. */
  readonly enforce: () => Promise<void>;
  /** undefined where no ledger is kept. */
  readonly history: StatusSource['history'];
  readonly log: Logger;
  readonly now: () => Date;
}

/** The loops that tell others what the agent does. Nothing is loaded for what is not configured. */
export async function createNoticeLoops(parts: NoticesParts): Promise<readonly Loop[]> {
  const { mqtt, webhook } = parts.loaded.config.report;
  return [
    ...(webhook === undefined ? [] : await createWebhook(parts, webhook.url)),
    ...(mqtt === undefined ? [] : await createMqtt(parts, mqtt)),
  ];
}

async function createWebhook({ loaded, facts, log, now }: NoticesParts, url: string): Promise<readonly Loop[]> {
  const { createWebhookLoops } = await import('./loops/webhook-loop.ts');
  return createWebhookLoops({ url, secret: loaded.credentials.webhookSecret, facts, log, now });
}

type MqttConfig = NonNullable<LoadedConfig['config']['report']['mqtt']>;

async function createMqtt(parts: NoticesParts, config: MqttConfig): Promise<readonly Loop[]> {
  const { loaded, facts, overrides, sample, enforce, history, log, now } = parts;
  const certificateAuthority = await readCertificate(config.ca_path, log);
  if (certificateAuthority === 'unreadable') return [];
  const { createMqttRound } = await import('./loops/mqtt-loop.ts');
  const round = createMqttRound({
    url: config.url,
    username: config.username,
    password: loaded.credentials.mqttPassword,
    certificateAuthority,
    topic: config.topic,
    discoveryPrefix: config.discovery_prefix,
    control: config.allow_control
      ? (mode) => (mode === undefined ? overrides.clear() : overrides.set(mode, undefined)).finally(enforce)
      : undefined,
    facts,
    refresh: sample,
    todayBytes: () => readTodayBytes(history, now(), facts().timeZone),
    log,
    now,
  });
  return [{ name: 'mqtt', tick: round }];
}

/** Forwarded since the owner's midnight; undefined without a ledger, or with one that cannot be read, which is said elsewhere. */
async function readTodayBytes(
  history: StatusSource['history'],
  now: Date,
  timeZone: TimeZone,
): Promise<number | undefined> {
  try {
    const { start } = toPeriod({ period: 'day', resetDay: 1 }, now, timeZone);
    const hours = await history?.({ unit: 'hour', sinceMs: start.getTime() });
    return hours?.reduce((sum, { upBytes, downBytes }) => sum + upBytes + downBytes, 0);
  } catch (error) {
    if (!(error instanceof TributaryError)) throw error;
    return undefined;
  }
}

/** Without it the broker would be refused for ever, and the device provides all the same. */
async function readCertificate(path: string | undefined, log: Logger): Promise<string | undefined | 'unreadable'> {
  if (path === undefined) return undefined;
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    log.error({ path, reason: messageOf(error) }, 'report.mqtt.ca_path cannot be read; the broker is told nothing');
    return 'unreadable';
  }
}
