import type { Facts } from '../health/facts.ts';
import { toPlainJson } from '../lib/plain-text.ts';
import { controls, entities } from './mqtt-state.ts';

/** A message for a topic. It is retained, so that later subscribers read it too. */
export interface MqttMessage {
  readonly topic: string;
  /** An empty payload removes what was retained. */
  readonly payload: string;
}

/** The topics of one device. */
export interface MqttTopics {
  readonly state: string;
  /** `online`; the broker itself publishes `offline` when the agent is gone. */
  readonly availability: string;
  readonly mode: string;
}

export function nameTopics(topic: string, clientId: string): MqttTopics {
  const base = `${topic}/${toNode(clientId)}`;
  return {
    state: `${base}/state`,
    availability: `${base}/availability`,
    mode: `${base}/mode/set`,
  };
}

export interface Discovery {
  /** The beginning of the topics of all devices. */
  readonly topic: string;
  readonly discoveryPrefix: string;
  readonly allowControl: boolean;
  /**
   * The status page's address for other machines; undefined where only the device itself can reach
   * it.
   */
  readonly pageUrl?: string | undefined;
  readonly facts: () => Facts;
}

/**
 * One message for each entity. Entities that control the device are removed where control is not
 * allowed, or no longer, and a source's entities where the device has no such source.
 */
export function renderDiscovery(discovery: Discovery, clientId: string): readonly MqttMessage[] {
  const { registration, version, sources } = discovery.facts();
  const topics = nameTopics(discovery.topic, clientId);
  const node = `tributary_${toNode(clientId)}`;
  const deviceName = registration?.description ?? 'Tributary';
  const device = {
    identifiers: [node],
    name: deviceName,
    manufacturer: 'Tributary',
    model: 'Device agent',
    sw_version: version,
    ...(discovery.pageUrl === undefined ? {} : { configuration_url: discovery.pageUrl }),
  };
  return Object.entries(entities).map(
    ([key, { component = 'sensor', name, fields, scale, read, source }]) => {
      const isControl = component in controls;
      const isAbsent = source !== undefined && sources.every((own) => own.name !== source);
      const isLeftOut = isAbsent || (isControl && !discovery.allowControl);
      const entity = {
        name,
        unique_id: `${node}_${key}`,
        default_entity_id: `${component}.tributary_${toSlug(deviceName)}_${key}`,
        ...(read === undefined
          ? {}
          : { state_topic: topics.state, value_template: renderTemplate(key, scale) }),
        availability_topic: topics.availability,
        device,
        origin: { name: 'tributary', sw_version: version },
        ...(isControl ? { command_topic: topics.mode } : {}),
        ...fields,
      };
      return {
        topic: `${discovery.discoveryPrefix}/${component}/${node}/${key}/config`,
        payload: isLeftOut ? '' : toPlainJson(entity),
      };
    },
  );
}

/**
 * Home Assistant shows a sensor in the unit in which it is published, and shows nothing for `None`.
 */
function renderTemplate(key: string, scale: number | undefined): string {
  const value = `value_json.${key}`;
  return scale === undefined
    ? `{{ ${value} }}`
    : `{{ ${value} / ${scale} if ${value} is number else None }}`;
}

/**
 * The text in the characters of Home Assistant's entity names: small letters, digits and
 * underscores.
 */
function toSlug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, 64);
}

/** Client ids come from the service. Characters that a topic cannot have are left out. */
function toNode(clientId: string): string {
  return clientId.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
}
