import type { Facts } from '../health/facts.ts';
import { toPlainJson } from '../lib/plain-text.ts';
import { entities } from './mqtt-state.ts';

/** What is published for a topic, retained: those who subscribe later read it too. */
export interface MqttMessage {
  readonly topic: string;
  /** Empty: what was retained there is taken away. */
  readonly payload: string;
}

/** The topics of one device. */
export type MqttTopics = ReturnType<typeof nameTopics>;

export function nameTopics(topic: string, clientId: string) {
  const base = `${topic}/${toNode(clientId)}`;
  return {
    state: `${base}/state`,
    /** `online`, or `offline` from the broker itself when the agent is gone. */
    availability: `${base}/availability`,
    /** Where a mode is asked for. */
    mode: `${base}/mode/set`,
  };
}

export interface Discovery {
  /** Where the topics of all devices begin. */
  readonly topic: string;
  readonly discoveryPrefix: string;
  readonly allowControl: boolean;
  readonly facts: () => Facts;
}

/** One message for each entity; the choice of a mode is taken away where it is not allowed (any more). */
export function renderDiscovery(discovery: Discovery, clientId: string): readonly MqttMessage[] {
  const { registration, version } = discovery.facts();
  const topics = nameTopics(discovery.topic, clientId);
  const node = `tributary_${toNode(clientId)}`;
  const deviceName = registration?.description ?? 'Tributary';
  return Object.entries(entities).map(([key, { component = 'sensor', name, fields }]) => {
    const isSelect = component === 'select';
    const entity = {
      name,
      unique_id: `${node}_${key}`,
      object_id: `${node}_${key}`,
      state_topic: topics.state,
      value_template: `{{ value_json.${key} }}`,
      availability_topic: topics.availability,
      device: { identifiers: [node], name: deviceName, manufacturer: 'Tributary', sw_version: version },
      origin: { name: 'tributary', sw_version: version },
      ...(isSelect ? { command_topic: topics.mode } : {}),
      ...fields,
    };
    return {
      topic: `${discovery.discoveryPrefix}/${component}/${node}/${key}/config`,
      payload: isSelect && !discovery.allowControl ? '' : toPlainJson(entity),
    };
  });
}

/** Client ids come from the service: what a topic cannot hold is left out. */
function toNode(clientId: string): string {
  return clientId.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
}
