import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { setConfigKeys, toShownValue } from '../../../src/config/set-key.ts';
import { renderShownConfig, toShownConfig } from '../../../src/config/show.ts';
import { linesOf, load, makeDirectory, makeFile } from './config-fixture.ts';

const service = 'service: { base_url: "https://service.example" }';
const withReport = (report: string) => `${service}\nreport: { ${report} }`;
const broker =
  'an mqtts:// address without path, user and password, such as "mqtts://broker.example:8883"';

describe('what is told to others goes by TLS,', () => {
  const rows: readonly (readonly [string, string, string | undefined])[] = [
    ['a broker by TLS', 'mqtt: { url: "mqtts://broker.example:8883" }', undefined],
    ['a broker on this machine', 'mqtt: { url: "mqtt://127.0.0.1:1883" }', undefined],
    [
      'a broker elsewhere without it',
      'mqtt: { url: "mqtt://192.168.1.10" }',
      'mqtt.url: found "mqtt://192.168.1.10"; allowed: an mqtts:// address, or report.mqtt.allow_insecure_mqtt: true beside it (the password and the figures can then be read on the way)',
    ],
    [
      'the same, said aloud',
      'mqtt: { url: "mqtt://192.168.1.10", allow_insecure_mqtt: true }',
      undefined,
    ],
    [
      'a broker with a password in its address',
      'mqtt: { url: "mqtts://owner:hunter2@broker.example" }',
      `mqtt.url: found "mqtts://[secret]@broker.example"; allowed: ${broker}`,
    ],
    [
      'a broker by its name alone',
      'mqtt: { url: "broker.example" }',
      `mqtt.url: found "broker.example"; allowed: ${broker}`,
    ],
    ['a webhook by TLS', 'webhook: { url: "https://hooks.example/a?b=c" }', undefined],
    ['a webhook on this machine', 'webhook: { url: "http://localhost:8123/api" }', undefined],
    [
      'a webhook elsewhere without it, its path kept to itself',
      'webhook: { url: "http://hooks.example/secret" }',
      'webhook.url: found "http://hooks.example/…"; allowed: an https:// address, or report.webhook.allow_insecure_http: true beside it (what is sent can then be read on the way)',
    ],
    [
      'a webhook of another kind, its path kept to itself',
      'webhook: { url: "ftp://hooks.example/secret" }',
      'webhook.url: found "ftp://hooks.example/…"; allowed: an https:// address, such as "https://hooks.example/tributary"',
    ],
    [
      'a webhook that is no address, which may be all secret',
      'webhook: { url: "hooks.example/secret" }',
      'webhook.url: found "[secret]"; allowed: an https:// address, such as "https://hooks.example/tributary"',
    ],
    [
      'the same webhook, said aloud',
      'webhook: { url: "http://hooks.example/a", allow_insecure_http: true }',
      undefined,
    ],
    [
      'messages for ntfy',
      'webhook: { url: "https://ntfy.example/my-topic", format: ntfy }',
      undefined,
    ],
    [
      'messages for ntfy without a topic',
      'webhook: { url: "https://ntfy.example/", format: ntfy }',
      'webhook.url: found "https://ntfy.example"; allowed: for ntfy an address with its topic, such as "https://ntfy.example/my-topic"',
    ],
    [
      'messages for a service that is not known',
      'webhook: { url: "https://hooks.example/a", format: teams }',
      'webhook.format: found "teams"; allowed: "json", "ntfy", "discord", "slack", "gotify"',
    ],
    [
      'a topic with a wildcard',
      'mqtt: { url: "mqtts://broker.example", topic: "home/#" }',
      'mqtt.topic: found "home/#"; allowed: an MQTT topic of letters, digits, "_", "-" and "/", such as "home/tributary"',
    ],
  ];
  test.each(rows)('%s', async (_claim, report, expected) => {
    const lines = await linesOf(withReport(report));
    expect(lines).toEqual(expected === undefined ? [] : [`FILE:2: report.${expected}`]);
  });
});

test('a dangerous setting is named at each start, without the path', async () => {
  const { warnings } = await load(
    withReport('webhook: { url: "http://hooks.example/s3cret", allow_insecure_http: true }'),
  );
  expect(warnings).toEqual([
    'report.webhook.url: http://hooks.example/… is used without TLS, so what is sent can be read on the way',
  ]);
});

test('the path of a webhook, often a secret itself, is not shown', async () => {
  const loaded = await load(
    withReport('webhook: { url: "https://hooks.example/s3cret?key=s3cret" }'),
  );
  const shown = toShownConfig(loaded);
  expect(loaded.config.report.webhook?.url.reveal()).toBe(
    'https://hooks.example/s3cret?key=s3cret',
  );
  expect(inspect(loaded.config, { depth: 9 })).not.toContain('s3cret');
  expect(renderShownConfig(shown)).toContain('https://hooks.example/…');
  expect(`${JSON.stringify(shown)}${renderShownConfig(shown)}`).not.toContain('s3cret');
});

test('the address of a webhook may be handed in as a secret, and is checked like any other', async () => {
  const credentials = makeDirectory();
  writeFileSync(join(credentials, 'webhook-url'), 'https://hooks.example/s3cret\n');
  const byCredential = await load(service, { CREDENTIALS_DIRECTORY: credentials });
  const byFile = await load(service, {
    TRIBUTARY_WEBHOOK_URL_FILE: join(credentials, 'webhook-url'),
  });
  for (const { config } of [byCredential, byFile]) {
    expect(config.report.webhook?.url.reveal()).toBe('https://hooks.example/s3cret');
  }
  expect(byCredential.originOf(['report', 'webhook', 'url']).kind).toBe('environment');
  expect(renderShownConfig(toShownConfig(byCredential))).not.toContain('s3cret');
  expect(await linesOf(service, { TRIBUTARY_WEBHOOK_URL: 'http://hooks.example/s3cret' })).toEqual([
    expect.stringMatching(
      /^TRIBUTARY_WEBHOOK_URL: found "http:\/\/hooks\.example\/…"; allowed: an https/,
    ),
  ]);
});

test('an address that is set by a command is written whole and shown without its path', async () => {
  const configPath = makeFile(`${service}\n`);
  const change = { key: 'report.webhook.url', text: 'https://hooks.example/s3cret' };
  await setConfigKeys(configPath, [change]);
  expect(toShownValue(change.key, change.text)).toBe('https://hooks.example/…');
  expect(readFileSync(configPath, 'utf8')).toContain('s3cret');
});
