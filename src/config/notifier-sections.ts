import * as z from 'zod';
import { brokerUrl, filePath, line, mqttTopic, offByDefault, oneOf, webhookUrl } from './values.ts';

/** A broker for Home Assistant or any other subscriber. Absent, no broker is used. */
export const mqttSection = z
  .strictObject({
    url: brokerUrl.describe('Address of the broker; mqtts:// except to this machine itself.'),
    username: line(1, 200)
      .optional()
      .describe('Name to sign in to the broker with; the password is a secret.'),
    topic: mqttTopic
      .default('tributary')
      .describe("Where this device's topics begin; its client id follows."),
    discovery_prefix: mqttTopic
      .default('homeassistant')
      .describe('Where Home Assistant looks for new devices.'),
    ca_path: filePath.describe(
      'File with the certificate that vouches for the broker; absent: those that Node knows.',
    ),
    allow_insecure_mqtt: offByDefault.describe(
      'Allows a url without TLS: the password can then be read on the way.',
    ),
    allow_control: offByDefault.describe(
      'Lets anyone who may write to the broker set the mode by hand.',
    ),
  })
  .describe('Tells an MQTT broker, with discovery for Home Assistant. Absent: no broker.');

/** Calls to the owner's own server, or to a service that shows messages. */
export const webhookSection = z
  .strictObject({
    url: webhookUrl.describe(
      'Address that is sent each event; https:// except to this machine itself.',
    ),
    format: oneOf(['json', 'ntfy', 'discord', 'slack', 'gotify'])
      .default('json')
      .describe('What is sent: JSON for programs, or a message as one of these services takes it.'),
    ca_path: filePath.describe(
      'File with the certificate that vouches for the receiver; absent: those that Node knows.',
    ),
    allow_insecure_http: offByDefault.describe(
      'Allows a url without TLS: what is sent can then be read on the way.',
    ),
  })
  .refine(({ format, url }) => format !== 'ntfy' || String(url).endsWith('/…'), {
    path: ['url'],
    error: 'for ntfy an address with its topic, such as "https://ntfy.example/my-topic"',
  })
  .describe(
    'Calls an address when the phase changes, the cap is reached or the first payout comes. Absent: none.',
  );
