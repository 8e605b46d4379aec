import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { phases } from '../../src/health/phase.ts';
import {
  type Broker,
  password,
  type Reader,
  startBroker,
  startReader,
  username,
} from './support/broker.ts';
import { findFreePort } from './support/free-port.ts';

const program = fileURLToPath(new URL('support/notifiers-agent.ts', import.meta.url));
const base = 'tributary/3f8a1c9e-0000-4000-8000-00000000abcd';
const node = 'tributary_3f8a1c9e-0000-4000-8000-00000000abcd';
const selectTopic = `homeassistant/select/${node}/override/config`;
const patience = { timeout: 20_000, interval: 50 };

interface Agent {
  readonly process: ChildProcess;
  readonly lines: string[];
}

function startAgent(url: string, environment: Readonly<Record<string, string>> = {}): Agent {
  const child = spawn(process.execPath, [program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      TRIBUTARY_SERVICE_BASE_URL: 'https://service.example',
      TRIBUTARY_LOG_FORMAT: 'json',
      TRIBUTARY_REPORT_MQTT_URL: url,
      TRIBUTARY_REPORT_MQTT_USERNAME: username,
      TRIBUTARY_MQTT_PASSWORD: password,
      ...environment,
    },
  });
  const lines: string[] = [];
  child.stdout
    .setEncoding('utf8')
    .on('data', (text: string) => lines.push(...text.trim().split('\n')));
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  });
  return { process: child, lines };
}

const waitForText = (reader: Reader, topic: string, text: string) =>
  vi.waitFor(() => expect(reader.texts.get(topic)).toBe(text), patience);

async function startBoth(environment: Readonly<Record<string, string>> = {}) {
  const broker: Broker = await startBroker();
  const reader = await startReader(broker.plainUrl);
  const agent = startAgent(broker.plainUrl, environment);
  await waitForText(reader, `${base}/availability`, 'online');
  return { broker, reader, agent };
}

const units: Readonly<Record<string, readonly (string | undefined)[]>> = {
  data_rate: ['Mbit/s'],
  data_size: ['GB'],
  duration: ['h'],
  monetary: ['USDC'],
  timestamp: [undefined],
  enum: [undefined],
  connectivity: [undefined],
};

describe('Home Assistant, by a real broker', () => {
  test('finds each figure: where it is, what it is, and a value for it in the state', async () => {
    const { reader } = await startBoth();
    const state = reader.json(`${base}/state`);
    const found = [...reader.texts].filter(
      ([topic, text]) => topic.startsWith('homeassistant/') && text !== '',
    );
    expect(found.map(([topic]) => topic.split('/')[3])).toEqual(
      // This device has the tunnel alone, and controls are another matter.
      Object.keys(state).filter((key) => !/^(override|sharing)$|connect/.test(key)),
    );
    const ids = new Set<unknown>();
    for (const [topic, text] of found) {
      const entity = JSON.parse(text);
      const key = topic.split('/')[3] ?? '';
      expect(topic).toMatch(/^homeassistant\/(sensor|binary_sensor)\/[\w-]+\/\w+\/config$/);
      expect(entity).toMatchObject({
        state_topic: `${base}/state`,
        availability_topic: `${base}/availability`,
        value_template: expect.stringContaining(`value_json.${key} `),
        device: { identifiers: [node], name: 'kitchen' },
      });
      if (entity.device_class !== undefined) {
        expect(units[entity.device_class], entity.device_class).toContain(
          entity.unit_of_measurement,
        );
      }
      if (entity.options !== undefined) expect(entity.options).toContain(state[key]);
      ids.add(entity.unique_id);
    }
    expect(ids.size).toBe(found.length);
    expect(reader.json(`homeassistant/sensor/${node}/phase/config`).options).toEqual(phases);
  });

  test('is told the state as numbers in those units', async () => {
    const { reader } = await startBoth();
    expect(reader.json(`${base}/state`)).toMatchObject({
      phase: 'providing',
      reason: 'none',
      mode: 'public',
      override: 'automatic',
      up_rate: null,
      today_bytes: 42,
      period_bytes: 250_000_000_000,
      cap_share: 50,
      service: 'ON',
    });
  });

  test('finds all of it also when it comes later', async () => {
    const { broker } = await startBoth();
    const late = await startReader(broker.plainUrl);
    await waitForText(late, `${base}/availability`, 'online');
    expect(late.json(`${base}/state`).phase).toBe('providing');
    expect(late.texts.has(`homeassistant/sensor/${node}/phase/config`)).toBe(true);
  });

  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'hears at once that the agent is gone after %s',
    async (signal) => {
      const { reader, agent } = await startBoth();
      agent.process.kill(signal);
      await waitForText(reader, `${base}/availability`, 'offline');
    },
  );

  test('is told everything anew by an agent that survived the loss of the broker', async () => {
    const { broker, reader, agent } = await startBoth();
    await broker.kill();
    await vi.waitFor(() => expect(agent.lines.join('\n')).toContain('"state":"lost"'), patience);
    // A broker that keeps nothing: what is there afterwards was published afterwards.
    (reader.texts as Map<string, string>).clear();
    await broker.start();
    await waitForText(reader, `${base}/availability`, 'online');
    expect(reader.texts.has(`homeassistant/sensor/${node}/phase/config`)).toBe(true);
    expect(agent.process.exitCode).toBeNull();
  });
});

describe('the mode, from the broker,', () => {
  test('cannot be set unless the owner allowed it', async () => {
    const { reader, agent } = await startBoth();
    expect(reader.texts.get(selectTopic)).toBe('');
    await reader.client.publishAsync(`${base}/mode/set`, 'none', { qos: 1 });
    agent.process.kill('SIGTERM');
    await waitForText(reader, `${base}/availability`, 'offline');
    expect(agent.lines.join('\n')).not.toContain('asked for');
    expect(reader.json(`${base}/state`)).toMatchObject({ override: 'automatic', mode: 'public' });
  });

  test('is set and taken back where the owner allowed it; anything else is refused', async () => {
    const { reader, agent } = await startBoth({ TRIBUTARY_REPORT_MQTT_ALLOW_CONTROL: 'true' });
    const select = reader.json(selectTopic);
    expect(select).toMatchObject({
      command_topic: `${base}/mode/set`,
      options: expect.arrayContaining(['none']),
    });
    const order = (text: string) =>
      reader.client.publishAsync(`${base}/mode/set`, text, { qos: 1 });
    const waitForOverride = (override: string, mode: string) =>
      vi.waitFor(
        () => expect(reader.json(`${base}/state`)).toMatchObject({ override, mode }),
        patience,
      );
    // The subscription may come after the word that the agent is there.
    await vi.waitFor(async () => {
      await order('none');
      expect(reader.json(`${base}/state`)).toMatchObject({ override: 'none', mode: 'none' });
    }, patience);
    await order('everyone');
    await vi.waitFor(
      () => expect(agent.lines.join('\n')).toContain('ignoring an unknown command'),
      patience,
    );
    expect(reader.json(`${base}/state`)).toMatchObject({ override: 'none' });
    await order('automatic');
    await waitForOverride('automatic', 'public');
  });

  test('is set by the switch and the buttons in the words that discovery gave them', async () => {
    const { reader } = await startBoth({ TRIBUTARY_REPORT_MQTT_ALLOW_CONTROL: 'true' });
    const find = (kind: string, key: string) =>
      reader.json(`homeassistant/${kind}/${node}/${key}/config`);
    const press = async (topic: unknown, text: unknown, expected: object) =>
      vi.waitFor(async () => {
        await reader.client.publishAsync(String(topic), String(text), { qos: 1 });
        expect(reader.json(`${base}/state`)).toMatchObject(expected);
      }, patience);
    const { command_topic: topic, ...words } = find('switch', 'sharing');
    await press(topic, words.payload_off, { override: 'none', sharing: words.state_off });
    await press(topic, words.payload_on, { override: 'automatic', sharing: words.state_on });
    await press(find('button', 'pause').command_topic, find('button', 'pause').payload_press, {
      override: 'none',
    });
    await press(topic, find('button', 'resume').payload_press, {
      override: 'automatic',
      sharing: words.state_on,
    });
  });

  test('is not set by an order that the broker had kept', async () => {
    const broker = await startBroker();
    const reader = await startReader(broker.plainUrl);
    await reader.client.publishAsync(`${base}/mode/set`, 'none', { qos: 1, retain: true });
    const agent = startAgent(broker.plainUrl, { TRIBUTARY_REPORT_MQTT_ALLOW_CONTROL: 'true' });
    await waitForText(reader, `${base}/availability`, 'online');
    await vi.waitFor(async () => {
      await reader.client.publishAsync(`${base}/mode/set`, 'friends', { qos: 1 });
      expect(reader.json(`${base}/state`).override).not.toBe('automatic');
    }, patience);
    expect(reader.json(`${base}/state`).override).toBe('friends');
    expect(agent.lines.join('\n')).not.toContain('"mode":"none"');
  });

  test('cannot be chosen where the broker lets the device read no commands, and all else is there', async () => {
    const broker = await startBroker(`${base}/mode/set`);
    const reader = await startReader(broker.plainUrl);
    const agent = startAgent(broker.plainUrl, { TRIBUTARY_REPORT_MQTT_ALLOW_CONTROL: 'true' });
    await waitForText(reader, `${base}/availability`, 'online');
    expect(agent.lines.join('\n')).toContain('lets this user read no commands');
    expect(reader.texts.get(selectTopic)).toBe('');
    expect(reader.json(`${base}/state`)).toMatchObject({ phase: 'providing', mode: 'public' });
  });

  test('can no longer be chosen once the owner took the permission back', async () => {
    const { broker, reader, agent } = await startBoth({
      TRIBUTARY_REPORT_MQTT_ALLOW_CONTROL: 'true',
    });
    expect(reader.json(selectTopic).command_topic).toBe(`${base}/mode/set`);
    agent.process.kill('SIGTERM');
    await waitForText(reader, `${base}/availability`, 'offline');
    startAgent(broker.plainUrl);
    await waitForText(reader, `${base}/availability`, 'online');
    const late = await startReader(broker.plainUrl);
    await waitForText(late, `${base}/availability`, 'online');
    expect(late.texts.has(selectTopic)).toBe(false);
  });
});

describe('the broker', () => {
  const waitForReason = (agent: Agent, reason: RegExp) =>
    vi.waitFor(() => expect(agent.lines.join('\n')).toMatch(reason), patience);

  test('is believed only with a certificate that somebody vouches for', async () => {
    const broker = await startBroker();
    const reader = await startReader(broker.plainUrl);
    const stranger = startAgent(broker.tlsUrl);
    await waitForReason(stranger, /self-signed certificate/);
    expect(reader.texts.size).toBe(0);
    startAgent(broker.tlsUrl, { TRIBUTARY_REPORT_MQTT_CA_PATH: broker.certificatePath });
    await waitForText(reader, `${base}/availability`, 'online');
  });

  test('is believed only by the name in its certificate', async () => {
    const broker = await startBroker();
    const agent = startAgent(broker.tlsUrl.replace('localhost', '127.0.0.1'), {
      TRIBUTARY_REPORT_MQTT_CA_PATH: broker.certificatePath,
    });
    await waitForReason(agent, /does not match/);
  });

  test('that refuses the password is asked again later; it stands in no line of the log', async () => {
    const broker = await startBroker();
    const agent = startAgent(broker.plainUrl, { TRIBUTARY_MQTT_PASSWORD: 'wrong-password-0815' });
    await waitForReason(agent, /Not authorized/);
    expect(agent.lines.join('\n')).not.toContain('0815');
    expect(agent.process.exitCode).toBeNull();
  });

  test('with a certificate that is none is asked in vain, and takes nobody down', async () => {
    const broker = await startBroker();
    const agent = startAgent(broker.tlsUrl, { TRIBUTARY_REPORT_MQTT_CA_PATH: '/etc/hostname' });
    await waitForReason(agent, /"state":"failing/);
    expect(agent.process.exitCode).toBeNull();
  });

  test.each([
    {
      claim: 'sends more than a message can be',
      bytes: [0x30, 0xff, 0xff, 0xff, 0x7f],
      reason: /sent too much/,
    },
    { claim: 'speaks another language', bytes: [0x00, 0x00, 0x00], reason: /"state":"failing/ },
    { claim: 'hangs up', bytes: [], reason: /closed the connection/ },
  ])('that $claim is left alone, and takes nobody down', async ({ bytes, reason }) => {
    const port = await findFreePort();
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      if (bytes.length === 0) socket.end();
      else socket.write(Buffer.concat([Buffer.from(bytes), Buffer.alloc(2_000_000, 1)]));
    }).listen(port, '127.0.0.1');
    onTestFinished(() => {
      server.close();
    });
    const agent = startAgent(`mqtt://127.0.0.1:${port}`);
    await waitForReason(agent, reason);
    expect(agent.process.exitCode).toBeNull();
  });

  test('is told no secret', async () => {
    const { reader } = await startBoth();
    expect([...reader.texts.values()].join('\n')).not.toContain(password);
  });
});
