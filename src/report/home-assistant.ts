import { provideModes } from '../service/profiles.ts';

/** What is published for a topic, retained: whoever comes later reads it too. */
export interface MqttMessage {
  readonly topic: string;
  /** Empty: what was retained there is taken away. */
  readonly payload: string;
}

/** The topics of one device. */
export interface MqttTopics {
  readonly state: string;
  /** `online`, or `offline` by the broker itself when the agent is gone. */
  readonly availability: string;
  /** Where a mode is asked for. */
  readonly mode: string;
}

export interface DiscoveryInput {
  readonly clientId: string;
  readonly name: string;
  readonly version: string;
  readonly phases: readonly string[];
  readonly discoveryPrefix: string;
  readonly topics: MqttTopics;
  readonly allowControl: boolean;
}

/** One thing that Home Assistant shows; `fields` in its own words. */
interface Entity {
  readonly component: 'sensor' | 'binary_sensor' | 'select';
  /** Its name in the state, and part of its id. */
  readonly key: string;
  readonly name: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The word for "no override" among the modes that can be chosen. */
export const automatic = 'automatic';

export function toTopics(topic: string, clientId: string): MqttTopics {
  const base = `${topic}/${toNode(clientId)}`;
  return { state: `${base}/state`, availability: `${base}/availability`, mode: `${base}/mode/set` };
}

/** One message for each entity; an entity that may no longer be there is taken away. */
export function toDiscovery(input: DiscoveryInput): readonly MqttMessage[] {
  const { clientId, discoveryPrefix, topics, allowControl } = input;
  const node = `tributary_${toNode(clientId)}`;
  return [...toSensors(input.phases), toSelect(topics)].map(({ component, key, name, fields }) => ({
    topic: `${discoveryPrefix}/${component}/${node}/${key}/config`,
    payload:
      component === 'select' && !allowControl
        ? ''
        : JSON.stringify({
            name,
            unique_id: `${node}_${key}`,
            object_id: `${node}_${key}`,
            state_topic: topics.state,
            value_template: `{{ value_json.${key} }}`,
            availability_topic: topics.availability,
            device: { identifiers: [node], name: input.name, manufacturer: 'Tributary', sw_version: input.version },
            origin: { name: 'tributary', sw_version: input.version },
            ...fields,
          }),
  }));
}

/** Client ids come from the service: what a topic cannot hold is left out. */
function toNode(clientId: string): string {
  return clientId.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
}

const rate = { device_class: 'data_rate', unit_of_measurement: 'B/s', suggested_unit_of_measurement: 'Mbit/s' };
const size = { device_class: 'data_size', unit_of_measurement: 'B', suggested_unit_of_measurement: 'GB' };
const measured = { state_class: 'measurement', suggested_display_precision: 1 };
const growing = { state_class: 'total_increasing', suggested_display_precision: 2 };
const diagnostic = { entity_category: 'diagnostic' };

function toSensors(phases: readonly string[]): readonly Entity[] {
  const sensor = (key: string, name: string, fields: Entity['fields']) => ({
    component: 'sensor' as const,
    key,
    name,
    fields,
  });
  const duration = { device_class: 'duration', unit_of_measurement: 's' };
  const connectivity = { device_class: 'connectivity', ...diagnostic };
  return [
    sensor('phase', 'Phase', { device_class: 'enum', options: phases, icon: 'mdi:state-machine' }),
    sensor('reason', 'Reason', { icon: 'mdi:information-outline' }),
    sensor('message', 'Message', { ...diagnostic, icon: 'mdi:message-text-outline' }),
    sensor('action', 'What to do', { ...diagnostic, icon: 'mdi:wrench-outline' }),
    sensor('mode', 'Mode', { device_class: 'enum', options: provideModes, icon: 'mdi:account-multiple' }),
    sensor('up_rate', 'Upload', { ...rate, ...measured }),
    sensor('down_rate', 'Download', { ...rate, ...measured }),
    sensor('today_bytes', 'Today', { ...size, ...growing }),
    sensor('period_bytes', 'This period', { ...size, ...growing }),
    sensor('cap_share', 'Cap used', { unit_of_measurement: '%', ...measured, icon: 'mdi:gauge' }),
    sensor('handshake_age', 'Last handshake', { ...duration, ...measured, ...diagnostic }),
    { component: 'binary_sensor', key: 'service', name: 'Service reachable', fields: connectivity },
  ];
}

function toSelect(topics: MqttTopics): Entity {
  const options = [automatic, ...provideModes];
  const fields = { command_topic: topics.mode, options, optimistic: false, icon: 'mdi:account-multiple-check' };
  return { component: 'select', key: 'override', name: 'Mode by hand', fields };
}
