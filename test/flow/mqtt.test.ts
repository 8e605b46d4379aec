import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { hostname } from 'node:os';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openNotifiers } from '../../src/agent/tell/notifiers.ts';
import { loadConfig } from '../../src/config/load.ts';
import { TributaryError } from '../../src/errors/codes.ts';
import type { Facts } from '../../src/health/facts.ts';
import { systemNames } from '../../src/lib/connect-in-turn.ts';
import { parseHostPort } from '../../src/lib/host-port.ts';
import { createFacts } from '../../tools/docs/sample-facts.ts';
import { waitUntil } from '../patience.ts';
import { createHistoryRow } from '../unit/status/sample-past.ts';
import { createTestLog, password, providing, startAgent } from './mqtt-agent.ts';
import { type SmallBroker, startSmallBroker } from './small-broker.ts';
import { runLoops, uncommanded } from './uncommanded.ts';

const base = 'tributary/3f8a1c9e-0000-4000-8000-00000000abcd';
const node = 'tributary_3f8a1c9e-0000-4000-8000-00000000abcd';
const topics = {
  state: `${base}/state`,
  availability: `${base}/availability`,
  mode: `${base}/mode/set`,
};

const textsOf = (broker: SmallBroker, topic: string) =>
  broker.published.filter((message) => message.topic === topic).map(({ text }) => text);
const statesOf = (broker: SmallBroker) =>
  textsOf(broker, topics.state).map((text) => JSON.parse(text));
const waitForStates = (broker: SmallBroker, count: number) =>
  waitUntil(() => expect(statesOf(broker)).toHaveLength(count));
const waitForAvailability = (broker: SmallBroker, texts: readonly string[]) =>
  waitUntil(() => expect(textsOf(broker, topics.availability)).toEqual(texts));
/** What was published, in order, the messages of one discovery taken together. */
const kindsOf = (broker: SmallBroker, from = 0) =>
  broker.published
    .slice(from)
    .map(({ topic }) =>
      topic.startsWith('homeassistant/') ? 'discovery' : (topic.split('/').at(-1) ?? ''),
    )
    .filter((kind, index, all) => kind !== 'discovery' || all[index - 1] !== kind);

describe('a broker', () => {
  test('is given discovery once, then the state, then that the device is there, all of it to keep', async () => {
    const broker = await startSmallBroker();
    const agent = startAgent(broker.url);
    await waitForAvailability(broker, ['online']);
    agent.change({ provide: { effective: 'none' } });
    await waitForStates(broker, 2);
    expect(kindsOf(broker)).toEqual(['discovery', 'state', 'availability', 'state']);
    const discovered = broker.published.filter(({ topic }) => topic.startsWith('homeassistant/'));
    expect(new Set(discovered.map(({ topic }) => topic)).size).toBe(discovered.length);
    expect(broker.published.filter(({ isRetained }) => !isRetained)).toEqual([]);
  });

  test('hears of a word that changes with the next look, and of bytes not before figures are due', async () => {
    const broker = await startSmallBroker();
    const refresh = vi.fn(async () => undefined);
    const agent = startAgent(broker.url, { refresh });
    await waitForAvailability(broker, ['online']);
    agent.change({ usage: { bytes: 1 } });
    await agent.lookOften();
    expect(statesOf(broker)).toHaveLength(1);
    agent.change({ provide: { effective: 'none' } });
    agent.change({ provide: { effective: 'friends' } });
    await waitForStates(broker, 2);
    await agent.lookOften();
    expect(statesOf(broker).map(({ mode, period_bytes }) => [mode, period_bytes])).toEqual([
      ['public', 250_000_000_000],
      ['friends', 1],
    ]);
    // Counters cost two programs a reading.
    expect(refresh).toHaveBeenCalledOnce();
  });

  test('hears of figures by the clock, each time from counters that were read again', async () => {
    const broker = await startSmallBroker();
    const figuresMs = 100;
    const agent = startAgent(broker.url, {
      figuresMs,
      refresh: async () => {
        const { up, down } = agent.world.facts.gateway.forwardedBytes ?? { up: 0, down: 0 };
        agent.change({
          gateway: { forwardedBytes: { up: up + 1_000_000, down: down + 2_000_000 } },
        });
      },
    });
    await waitForStates(broker, 4);
    const [first, ...later] = statesOf(broker);
    expect(first).toMatchObject({ up_rate: null, down_rate: null, today_bytes: 42 });
    for (const { up_rate, down_rate } of later) {
      expect(up_rate).toBeGreaterThan(0);
      expect(down_rate / up_rate).toBeCloseTo(2);
      // Never more than passed in the time between two readings.
      expect(up_rate).toBeLessThanOrEqual(1_000_000 / (figuresMs / 1000));
    }
  });

  test('publishes the last will when the agent is gone', async () => {
    const broker = await startSmallBroker();
    const agent = startAgent(broker.url);
    await waitForAvailability(broker, ['online']);
    await agent.end();
    await waitForAvailability(broker, ['online', 'offline']);
    expect(broker.published.at(-1)).toMatchObject({ topic: topics.availability, isRetained: true });
  });

  test('that comes back is told everything again, and of what changed meanwhile the newest only', async () => {
    const broker = await startSmallBroker();
    const agent = startAgent(broker.url);
    await waitForAvailability(broker, ['online']);
    await broker.kill();
    await agent.waitForLine(/"state":"lost"/);
    for (const effective of ['none', 'friends', 'network'] as const) {
      agent.change({ provide: { effective } });
      await agent.lookOften();
    }
    const before = broker.published.length;
    await broker.start();
    await waitForAvailability(broker, ['online', 'online']);
    await agent.lookOften();
    expect(kindsOf(broker, before)).toEqual(['discovery', 'state', 'availability']);
    expect(statesOf(broker).at(-1)?.mode).toBe('network');
    expect(broker.openCount()).toBe(1);
    await agent.end();
    await waitForAvailability(broker, ['online', 'online', 'offline']);
  });

  test('that comes and goes is connected to once at a time, and told once each time', async () => {
    const broker = await startSmallBroker();
    const agent = startAgent(broker.url);
    for (let times = 1; times <= 5; times += 1) {
      await waitForAvailability(broker, Array(times).fill('online'));
      expect([broker.connects.length, statesOf(broker).length, broker.openCount()]).toEqual([
        times,
        times,
        1,
      ]);
      await broker.kill();
      await agent.waitForLine(new RegExp(Array(times).fill('"state":"lost"').join('[^]*')));
      await broker.start();
    }
  });

  test('is not connected to before the device is registered', async () => {
    const broker = await startSmallBroker();
    const agent = startAgent(broker.url, {}, createFacts({ registration: undefined }, providing));
    await agent.lookOften();
    expect([broker.connects, agent.lines]).toEqual([[], []]);
    agent.world.facts = providing;
    await waitForAvailability(broker, ['online']);
  });

  test('is told that a device is gone when the agent becomes another', async () => {
    const broker = await startSmallBroker();
    const agent = startAgent(broker.url);
    await waitForAvailability(broker, ['online']);
    agent.change({ registration: { clientId: 'another', description: 'kitchen' } });
    await waitForAvailability(broker, ['online', 'offline']);
    await waitUntil(() =>
      expect(textsOf(broker, 'tributary/another/availability')).toEqual(['online']),
    );
    expect(broker.openCount()).toBe(1);
  });

  test('is told nothing of a device that the agent no longer is when it lets it in', async () => {
    const broker = await startSmallBroker();
    broker.answer = 5;
    const agent = startAgent(broker.url);
    await agent.waitForLine(/"state":"failing/);
    agent.change({ registration: { clientId: 'another', description: 'kitchen' } });
    const { length } = broker.connects;
    // One may have been under way.
    await waitUntil(() => expect(broker.connects.length).toBeGreaterThan(length + 1));
    broker.answer = 0;
    await waitUntil(() =>
      expect(textsOf(broker, 'tributary/another/availability')).toEqual(['online']),
    );
    expect(broker.published.filter(({ topic }) => topic.includes('3f8a1c9e'))).toEqual([]);
  });

  test('that refuses the password is asked again; no line of the log has the password', async () => {
    const broker = await startSmallBroker();
    broker.answer = 5;
    const agent = startAgent(broker.url);
    await waitUntil(() => expect(broker.connects.length).toBeGreaterThan(2));
    broker.answer = 0;
    await agent.waitForLine(/"state":"delivered"/);
    expect(broker.connects.at(-1)).toMatchObject({
      username: 'tributary',
      password: Buffer.from(password),
    });
    const states = agent.lines.map((line) => JSON.parse(line).state);
    expect(states).toEqual([expect.stringMatching(/^failing: .*Not authorized/), 'delivered']);
    expect(agent.lines.join('')).not.toContain('4711');
  });

  test('by mqtts:// is told nothing that is not TLS', async () => {
    const broker = await startSmallBroker();
    const agent = startAgent(broker.url.replace('mqtt:', 'mqtts:'));
    await agent.waitForLine(/"state":"failing/);
    const bytes = Buffer.concat(broker.received);
    // 0x16 is the first byte of a TLS handshake; MQTT's CONNECT begins with 0x10.
    expect(bytes[0]).toBe(0x16);
    expect(bytes.includes('tributary')).toBe(false);
  });

  test.each([
    {
      claim: 'sends more than a message can be',
      bytes: [0x30, 0xff, 0xff, 0xff, 0x7f],
      reason: /sent too much/,
    },
    { claim: 'speaks another language', bytes: [0x00, 0x00, 0x00], reason: /"state":"failing/ },
    { claim: 'hangs up', bytes: [], reason: /closed the connection/ },
  ])('that $claim is left alone, and asked again', async ({ bytes, reason }) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      if (bytes.length === 0) socket.end();
      else socket.write(Buffer.concat([Buffer.from(bytes), Buffer.alloc(2_000_000, 1)]));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.close();
    });
    const connections = vi.fn();
    server.on('connection', connections);
    const agent = startAgent(`mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await agent.waitForLine(reason);
    await waitUntil(() => expect(connections.mock.calls.length).toBeGreaterThan(1));
  });

  test('that never answers keeps nobody from stopping', async () => {
    const broker = await startSmallBroker();
    broker.answer = undefined;
    const agent = startAgent(broker.url);
    await waitUntil(() => expect(broker.connects).toHaveLength(1));
    await agent.end();
    await waitUntil(() => expect(broker.openCount()).toBe(0));
    expect(agent.lines).toEqual([]);
  });
});

describe('a command from the broker', () => {
  test('pauses for an hour, as the button does', async () => {
    const broker = await startSmallBroker();
    const agent = startAgent(broker.url);
    await waitForAvailability(broker, ['online']);
    const press = (kind: string) =>
      JSON.parse(textsOf(broker, `homeassistant/button/${node}/${kind}/config`)[0] ?? '');
    for (const { command_topic, payload_press } of [press('pause'), press('resume')]) {
      broker.send(command_topic, payload_press);
    }
    await waitUntil(() => expect(agent.modes).toEqual(['none 3600', 'automatic']));
  });

  test('switches sharing off until it is switched on again', async () => {
    const broker = await startSmallBroker();
    const agent = startAgent(broker.url);
    await waitForAvailability(broker, ['online']);
    const { command_topic, ...words } = JSON.parse(
      textsOf(broker, `homeassistant/switch/${node}/sharing/config`)[0] ?? '',
    );
    expect(statesOf(broker)[0].sharing).toBe(words.state_on);
    broker.send(command_topic, words.payload_off);
    broker.send(command_topic, words.payload_on);
    await waitUntil(() => expect(agent.modes).toEqual(['none', 'automatic']));
    agent.change({ provide: { effective: 'none' } });
    await waitUntil(() => expect(statesOf(broker).at(-1)?.sharing).toBe(words.state_off));
  });

  test('sets the mode and takes it back', async () => {
    const broker = await startSmallBroker();
    const agent = startAgent(broker.url);
    await waitUntil(() => expect(broker.subscriptions).toEqual([topics.mode]));
    broker.send(topics.mode, 'none');
    broker.send(topics.mode, 'automatic');
    await waitUntil(() => expect(agent.modes).toEqual(['none', 'automatic']));
  });

  test.each([
    { claim: 'of an unknown mode', text: 'everyone', isSaid: true },
    { claim: 'of a mode in other letters', text: 'NONE', isSaid: true },
    { claim: 'without a word', text: '', isSaid: true },
    { claim: 'of a longer pause', text: 'pause 99999', isSaid: true },
    { claim: 'of two lines', text: 'none\npublic', isSaid: true },
    { claim: 'of what every object has', text: 'constructor', isSaid: true },
    { claim: 'in JSON', text: '{"mode":"none"}', isSaid: true },
    { claim: 'of a length that no mode has', text: 'none'.repeat(1000), isSaid: false },
  ])('$claim is ignored; said in the log: $isSaid', async ({ text, isSaid }) => {
    const broker = await startSmallBroker();
    const agent = startAgent(broker.url);
    await waitForAvailability(broker, ['online']);
    broker.send(topics.mode, text);
    broker.send(topics.mode, 'friends');
    await waitUntil(() => expect(agent.modes).toEqual(['friends']));
    expect(agent.lines.join('').includes('ignoring an unknown command')).toBe(isSaid);
  });

  test.each([
    { claim: 'that the broker had kept', topic: topics.mode, isRetained: true },
    { claim: 'on another topic', topic: `${base}/other`, isRetained: false },
  ])('$claim is ignored', async ({ topic, isRetained }) => {
    const broker = await startSmallBroker();
    const agent = startAgent(broker.url);
    await waitForAvailability(broker, ['online']);
    broker.send(topic, 'none', { isRetained });
    broker.send(topics.mode, 'friends');
    await waitUntil(() => expect(agent.modes).toEqual(['friends']));
  });

  test('is not listened to where the owner did not allow it, nor taken where it comes all the same', async () => {
    const broker = await startSmallBroker();
    const agent = startAgent(broker.url, { allowControl: false });
    await waitForAvailability(broker, ['online']);
    broker.send(topics.mode, 'none');
    await agent.lookOften();
    agent.change({ provide: { effective: 'friends' } });
    await waitForStates(broker, 2);
    expect([agent.modes, broker.subscriptions]).toEqual([[], []]);
    const isControl = ({ topic }: { readonly topic: string }) =>
      /^homeassistant\/(select|switch|button)\//.test(topic);
    expect(broker.published.filter(isControl).map(({ text }) => text)).toEqual(['', '', '', '']);
  });

  test('that the broker keeps to itself is told once, and nobody is shown a button for it', async () => {
    const broker = await startSmallBroker();
    broker.granted = 128;
    const agent = startAgent(broker.url);
    await waitForAvailability(broker, ['online']);
    const isControl = ({ topic }: { readonly topic: string }) =>
      /^homeassistant\/(select|switch|button)\//.test(topic);
    expect(broker.published.filter(isControl).map(({ text }) => text)).toEqual(['', '', '', '']);
    expect(statesOf(broker)[0]).toMatchObject({ phase: 'providing' });
    await broker.kill();
    await agent.waitForLine(/"state":"lost"/);
    await broker.start();
    await waitForAvailability(broker, ['online', 'online']);
    const refusals = agent.lines.filter((line) => line.includes('read no commands'));
    expect(refusals.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'warn', topic: topics.mode, username: 'tributary' },
    ]);
    // Once the broker sends them, the device can be switched.
    broker.granted = 1;
    await broker.kill();
    await agent.waitForLine(/"lost".*"lost"/s);
    await broker.start();
    await waitUntil(() =>
      expect(textsOf(broker, `homeassistant/switch/${node}/sharing/config`).at(-1)).toMatch('{'),
    );
    broker.send(topics.mode, 'none');
    await waitUntil(() => expect(agent.modes).toEqual(['none']));
  });

  test('that cannot be kept is said in the log, and the next one is taken', async () => {
    const broker = await startSmallBroker();
    const modes: unknown[] = [];
    const agent = startAgent(broker.url, {
      setMode: async (mode) => {
        modes.push(mode);
        if (mode === 'none') throw new TributaryError('state-unwritable', 'the disk is full');
      },
    });
    await waitForAvailability(broker, ['online']);
    broker.send(topics.mode, 'none');
    broker.send(topics.mode, 'public');
    await waitUntil(() => expect(modes).toEqual(['none', 'public']));
    await agent.waitForLine(/the disk is full/);
  });
});

describe('a configured broker', () => {
  /**
   * The loops of an agent of this environment, with a mode that can be set by hand and a ledger of
   * one hour.
   */
  async function startConfigured(environment: Readonly<Record<string, string>>, page?: string) {
    let facts: Facts = providing;
    const { lines, log } = createTestLog();
    const setBy = (mode: Facts['provide']['effective'], override: Facts['provide']['override']) => {
      facts = createFacts({ provide: { override, effective: mode } }, facts);
    };
    const loops = await openNotifiers({
      loaded: await loadConfig({
        environment: { TRIBUTARY_SERVICE_BASE_URL: 'https://service.example', ...environment },
      }),
      facts: () => facts,
      ...uncommanded,
      overrides: {
        ...uncommanded.overrides,
        set: async (mode, seconds) => {
          expect(seconds).toBeUndefined();
          setBy(mode, { mode, until: undefined });
        },
        clear: async () => setBy('public', undefined),
      },
      names: systemNames,
      history: async () => [
        createHistoryRow(Date.now(), { upBytes: 40 }),
        createHistoryRow(Date.now(), { downBytes: 2 }),
      ],
      page: page === undefined ? undefined : parseHostPort(page),
      log,
      now: () => new Date(),
    });
    runLoops(loops);
    return { loops, lines };
  }

  test('is signed in to and may set the mode by hand as the owner configured it', async () => {
    const broker = await startSmallBroker();
    await startConfigured({
      TRIBUTARY_REPORT_MQTT_URL: broker.url,
      TRIBUTARY_REPORT_MQTT_USERNAME: 'tributary',
      TRIBUTARY_REPORT_MQTT_ALLOW_CONTROL: 'true',
      TRIBUTARY_MQTT_PASSWORD: password,
    });
    await waitForAvailability(broker, ['online']);
    expect(broker.connects[0]).toMatchObject({
      username: 'tributary',
      password: Buffer.from(password),
    });
    expect(statesOf(broker)[0]).toMatchObject({ override: 'automatic', today_bytes: 42 });
    broker.send(topics.mode, 'friends');
    await waitUntil(() =>
      expect(statesOf(broker).at(-1)).toMatchObject({ override: 'friends', mode: 'friends' }),
    );
    broker.send(topics.mode, 'automatic');
    await waitUntil(() =>
      expect(statesOf(broker).at(-1)).toMatchObject({ override: 'automatic', mode: 'public' }),
    );
  });

  test.each([
    ['0.0.0.0:9469', `http://${hostname()}:9469`],
    ['[::]:9469', `http://${hostname()}:9469`],
    ['192.168.1.7:80', 'http://192.168.1.7'],
    ['[fd00::7]:9469', 'http://[fd00::7]:9469'],
    ['127.0.0.1:9469', undefined],
    ['[::1]:9469', undefined],
    [undefined, undefined],
  ])('is given the address of a page at %s as %s', async (page, url) => {
    const broker = await startSmallBroker();
    await startConfigured({ TRIBUTARY_REPORT_MQTT_URL: broker.url }, page);
    await waitForAvailability(broker, ['online']);
    const [phase = ''] = textsOf(broker, `homeassistant/sensor/${node}/phase/config`);
    expect(JSON.parse(phase).device.configuration_url).toBe(url);
  });

  test('whose certificate cannot be read is told nothing, which the log says', async () => {
    const broker = await startSmallBroker();
    const { loops, lines } = await startConfigured({
      TRIBUTARY_REPORT_MQTT_URL: broker.url,
      TRIBUTARY_REPORT_MQTT_CA_PATH: '/nonexistent/ca.pem',
    });
    expect(loops).toEqual([]);
    expect(lines.join('')).toContain('report.mqtt.ca_path cannot be read');
  });

  test('is loaded by nobody who configured none', async () => {
    expect((await startConfigured({})).loops).toEqual([]);
  });
});
