import { expect, test } from 'vitest';
import { findLoopbackWarnings } from '../../../src/config/recipients.ts';
import { load, withService } from './config-fixture.ts';

const warn = async (...lines: readonly string[]) => {
  const { config } = await load(withService(...lines));
  return findLoopbackWarnings(config).map((line) => line.replace(/ leads nowhere.*/, ''));
};

test.each([
  ['report: { mqtt: { url: "mqtt://127.0.0.1:1883" } }', 'report.mqtt.url: 127.0.0.1'],
  ['report: { mqtt: { url: "mqtts://localhost" } }', 'report.mqtt.url: localhost'],
  ['report: { webhook: { url: "http://[::1]:8123/x" } }', 'report.webhook.url: ::1'],
])(
  'what is told on this machine itself is not reached from a namespace: %s',
  async (line, said) => {
    expect(await warn(line)).toEqual([said]);
  },
);

test('a service on this machine itself is not either', async () => {
  const { config } = await load('service: { base_url: "http://127.0.0.1:8080" }');
  expect(findLoopbackWarnings(config)).toEqual([
    "service.base_url: 127.0.0.1 leads nowhere from the agent's own network; write this host's address in your network: ip -br address",
  ]);
});

test('another machine is', async () => {
  const broker = 'mqtt: { url: "mqtts://192.168.1.7" }';
  const hook = 'webhook: { url: "https://hook.example/127.0.0.1" }';
  expect(await warn(`report: { ${broker}, ${hook} }`)).toEqual([]);
});
