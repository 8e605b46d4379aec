/*
 * What Home Assistant takes of a discovery message, from its own schema:
 * `homeassistant/components/mqtt/` of the repository home-assistant/core, in schemas.py (what all
 * have in common, device, origin), config.py, and sensor.py, binary_sensor.py, switch.py, select.py
 * and button.py. A field that it does not know is dropped without a word.
 */

const shared = [
  ['availability', 'availability_mode', 'availability_template', 'availability_topic'],
  [
    'payload_available',
    'payload_not_available',
    'device',
    'origin',
    'enabled_by_default',
    'entity_category',
    'icon',
  ],
  [
    'json_attributes_topic',
    'json_attributes_template',
    'default_entity_id',
    'unique_id',
    'name',
    'qos',
    'encoding',
  ],
].flat();
const read = ['state_topic', 'value_template'];
const write = ['command_topic', 'command_template', 'retain'];

export const deviceFields = [
  [
    'identifiers',
    'connections',
    'manufacturer',
    'model',
    'model_id',
    'name',
    'hw_version',
    'serial_number',
  ],
  ['sw_version', 'via_device', 'suggested_area', 'configuration_url'],
].flat();
export const originFields = ['name', 'sw_version', 'support_url'];

/** By platform: every field that it knows, and those that it needs. */
export const platforms: Readonly<
  Record<string, { fields: readonly string[]; required: readonly string[] }>
> = {
  sensor: {
    fields: [
      ...[
        ...shared,
        ...read,
        'device_class',
        'expire_after',
        'force_update',
        'last_reset_value_template',
        'options',
      ],
      ...['suggested_display_precision', 'state_class', 'unit_of_measurement'],
    ],
    required: ['state_topic'],
  },
  binary_sensor: {
    fields: [
      ...[...shared, ...read, 'device_class', 'expire_after', 'force_update', 'off_delay'],
      ...['payload_on', 'payload_off'],
    ],
    required: ['state_topic'],
  },
  switch: {
    fields: [
      ...[...shared, ...read, ...write, 'device_class', 'optimistic'],
      ...['payload_on', 'payload_off', 'state_on', 'state_off'],
    ],
    required: ['command_topic'],
  },
  select: {
    fields: [...shared, ...read, ...write, 'optimistic', 'options'],
    required: ['command_topic', 'options'],
  },
  button: {
    fields: [...shared, ...write, 'device_class', 'payload_press'],
    required: ['command_topic'],
  },
};

/**
 * Units and state classes of the device classes, from components/sensor/const.py; of money any unit
 * is taken.
 */
export const deviceClasses: Readonly<
  Record<string, { units?: readonly string[]; states: readonly string[] }>
> = {
  enum: { units: [], states: [] },
  timestamp: { units: [], states: [] },
  monetary: { states: ['total'] },
  data_rate: {
    units: ['bit/s', 'kbit/s', 'Mbit/s', 'Gbit/s', 'B/s', 'kB/s', 'MB/s', 'GB/s'],
    states: ['measurement'],
  },
  data_size: {
    units: ['B', 'kB', 'MB', 'GB', 'TB'],
    states: ['measurement', 'total', 'total_increasing'],
  },
  duration: {
    units: ['d', 'h', 'min', 's', 'ms'],
    states: ['measurement', 'total', 'total_increasing'],
  },
};
