import { describe, expect, test } from 'vitest';
import type { Facts } from '../../../src/health/facts.ts';
import { nameTopics, renderDiscovery } from '../../../src/report/home-assistant.ts';
import { hasUrgentChange, readMqttState, type StateInput } from '../../../src/report/mqtt-state.ts';
import {
  ago,
  consumersSource,
  createFacts,
  freshFacts,
  now,
  providingFacts,
} from '../../../tools/docs/sample-facts.ts';
import { arbitraryFacts } from '../health/arbitrary-facts.ts';
import { assertLaw } from '../law.ts';
import { deviceClasses, deviceFields, originFields, platforms } from './home-assistant-schema.ts';

const clientId = '3f8a1c9e-0000-4000-8000-00000000abcd';

/** A device with every source there is. */
const allSources = { ...providingFacts, sources: [...providingFacts.sources, consumersSource] };

function discover(
  change: {
    readonly clientId?: string;
    readonly allowControl?: boolean;
    readonly facts?: () => Facts;
  } = {},
) {
  const facts = () => allSources;
  const where = {
    topic: 'tributary',
    discoveryPrefix: 'homeassistant',
    pageUrl: 'http://kitchen:9469',
  };
  const discovery = { ...where, allowControl: false, facts, ...change };
  return renderDiscovery(discovery, change.clientId ?? clientId);
}

function createState(facts: StateInput['facts'], rest: Partial<StateInput> = {}) {
  return readMqttState({ facts, now, speed: undefined, todayBytes: undefined, ...rest });
}

describe('discovery', () => {
  test('looks as agreed', async () => {
    const text = discover({ allowControl: true })
      .map(({ topic, payload }) => `${topic}\n${JSON.stringify(JSON.parse(payload), null, 2)}\n`)
      .join('');
    await expect(text).toMatchFileSnapshot('../../golden/mqtt-discovery.txt');
  });

  test('takes all that can be pressed or chosen away where it is not allowed', () => {
    const emptied = discover().filter(({ payload }) => payload === '');
    expect(
      emptied.map(({ topic }) => topic.split('/').filter((_, index) => index % 2 === 1)),
    ).toEqual([
      ['switch', 'sharing'],
      ['select', 'override'],
      ['button', 'pause'],
      ['button', 'resume'],
    ]);
  });

  test('has the entities of the sources that the device has, and takes those of others away', () => {
    const listEmptied = (sources: Facts['sources']) => {
      const facts = () => ({ ...providingFacts, sources });
      return discover({ allowControl: true, facts })
        .filter(({ payload }) => payload === '')
        .map(({ topic }) => topic.split('/')[3]);
    };
    expect(listEmptied(providingFacts.sources)).toEqual([
      'source_connect',
      'connect_consumers',
      'connect_unpaid_bytes',
    ]);
    expect(listEmptied([consumersSource])).toEqual(['last_handshake', 'source_wireguard']);
  });

  test('says nothing that Home Assistant does not know, and all that it needs', () => {
    for (const { topic, payload } of discover({ allowControl: true })) {
      const [, platform = '', , key] = topic.split('/');
      const entity = JSON.parse(payload);
      const known = platforms[platform];
      expect(known?.fields, key).toEqual(expect.arrayContaining(Object.keys(entity)));
      expect(Object.keys(entity), key).toEqual(
        expect.arrayContaining([...(known?.required ?? ['a platform'])]),
      );
      expect(deviceFields).toEqual(expect.arrayContaining(Object.keys(entity.device)));
      expect(originFields).toEqual(expect.arrayContaining(Object.keys(entity.origin)));
      expect(entity.default_entity_id).toMatch(
        new RegExp(`^${platform}\\.tributary_kitchen_[a-z_]+$`),
      );
      expect([undefined, 'diagnostic']).toContain(entity.entity_category);
    }
  });

  test('gives each sensor a unit and a state class that go with what it measures', () => {
    for (const { topic, payload } of discover().filter(({ topic }) => topic.includes('/sensor/'))) {
      const key = topic.split('/')[3];
      const {
        device_class: deviceClass,
        unit_of_measurement: unit,
        state_class: stateClass,
        options,
      } = JSON.parse(payload);
      if (options !== undefined)
        expect([deviceClass, unit, stateClass]).toEqual(['enum', undefined, undefined]);
      if (deviceClass === undefined) continue;
      const { units = [unit], states = [] } = deviceClasses[deviceClass] ?? {};
      expect([...units, ...(units.length === 0 ? [undefined] : [])], key).toContain(unit);
      expect([...states, undefined], key).toContain(stateClass);
    }
  });

  test('names no page that only the device itself sees', () => {
    const facts = () => providingFacts;
    const given = {
      topic: 'tributary',
      discoveryPrefix: 'homeassistant',
      allowControl: false,
      facts,
    };
    const [first] = renderDiscovery({ ...given, pageUrl: undefined }, clientId);
    expect(JSON.parse(first?.payload ?? '').device).not.toHaveProperty('configuration_url');
  });

  test('a client id of the service cannot lead to the topics of others', () => {
    for (const { topic } of discover({ clientId: 'a/../#/+ b' }))
      expect(topic.split('/')).toHaveLength(5);
    expect(nameTopics('tributary', 'a/../#/+ b').state).toBe('tributary/a________b/state');
  });
});

describe('the state', () => {
  test('of a device that provides, by a cap, with its speed', () => {
    expect(
      createState(providingFacts, { speed: { up: 1234.5, down: 99.4 }, todayBytes: 42 }),
    ).toEqual({
      phase: 'providing',
      reason: 'none',
      message: 'none',
      action: 'none',
      mode: 'public',
      override: 'automatic',
      up_rate: 1235,
      down_rate: 99,
      today_bytes: 42,
      period_bytes: 250_000_000_000,
      cap_share: 50,
      earned_day: 0.42,
      earned_month: 11.9,
      online_seconds: 86_040,
      consumers: 5,
      running_since: '2026-03-13T11:00:00.000Z',
      last_handshake: '2026-03-14T11:59:20.000Z',
      service: 'ON',
      source_wireguard: 'ON',
      source_connect: null,
      connect_consumers: null,
      connect_unpaid_bytes: null,
      sharing: 'ON',
    });
  });

  test('of a source says whether consumers can come, and what it counts of them', () => {
    const dead = { ...consumersSource, life: undefined };
    expect(createState(allSources)).toMatchObject({
      source_connect: 'ON',
      connect_consumers: 3,
      connect_unpaid_bytes: 31_200_000,
    });
    expect(createState({ ...providingFacts, sources: [dead] })).toMatchObject({
      source_wireguard: null,
      source_connect: 'OFF',
    });
    const unread = { ...consumersSource, consumers: undefined };
    expect(createState({ ...providingFacts, sources: [unread] })).toMatchObject({
      connect_consumers: null,
      connect_unpaid_bytes: null,
    });
    expect(
      hasUrgentChange(
        createState(allSources),
        createState({ ...allSources, sources: [...providingFacts.sources, dead] }),
      ),
    ).toBe(true);
  });

  test('of a device that knows nothing yet has null for what is not known', () => {
    expect(createState(freshFacts)).toMatchObject({
      phase: 'registering',
      mode: null,
      up_rate: null,
      today_bytes: null,
      cap_share: null,
      earned_day: null,
      last_handshake: null,
      service: null,
      sharing: null,
    });
  });

  test('holds no text longer than Home Assistant takes, whatever the device reports', () => {
    assertLaw(arbitraryFacts, (facts) => {
      for (const value of Object.values(createState(facts)))
        expect(String(value).length).toBeLessThanOrEqual(255);
    });
  });

  test.each([
    { claim: 'a phase', change: { tunnel: { lastHandshakeAt: ago(900) } }, isUrgent: true },
    { claim: 'a mode', change: { provide: { effective: 'friends' } }, isUrgent: true },
    {
      claim: 'an unreachable service',
      change: { service: { isReachable: false } },
      isUrgent: true,
    },
    { claim: 'bytes', change: { usage: { bytes: 1 } }, isUrgent: false },
    {
      claim: 'an older handshake',
      change: { tunnel: { lastHandshakeAt: ago(60) } },
      isUrgent: false,
    },
  ] as const)('$claim is published at once: $isUrgent', ({ change, isUrgent }) => {
    expect(hasUrgentChange(createState(providingFacts), createState(createFacts(change)))).toBe(
      isUrgent,
    );
  });
});
