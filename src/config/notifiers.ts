import * as z from 'zod';
import { brokerUrl, line, mqttTopic, trueOrFalse, webhookUrl } from './values.ts';

/** Home Assistant, or whatever else listens to a broker. Absent: no broker is looked for. */
export const mqttSection = z
  .strictObject({
    url: brokerUrl.describe('Address of the broker; mqtts:// except to this machine itself.'),
    username: line(1, 200).optional().describe('Name to sign in to the broker with; the password is a secret.'),
    topic: mqttTopic.default('tributary').describe("Where this device's topics begin; its client id follows."),
    discovery_prefix: mqttTopic.default('homeassistant').describe('Where Home Assistant looks for new devices.'),
    ca_path: line(1, 4096)
      .optional()
      .describe('File with the certificate that vouches for the broker; absent: those that Node knows.'),
    allow_insecure_mqtt: trueOrFalse
      .default(false)
      .describe('Allows a url without TLS: the password can then be read on the way.'),
    allow_control: trueOrFalse.default(false).describe('Lets anyone who may write to the broker set the mode by hand.'),
  })
  .describe('Tells an MQTT broker, with discovery for Home Assistant. Absent: no broker.');

/** A call to the owner's own server when the phase changes. Absent: none is called. */
export const webhookSection = z
  .strictObject({
    url: webhookUrl.describe('Address that is sent each change of the phase; https:// except to this machine itself.'),
    ca_path: line(1, 4096)
      .optional()
      .describe('File with the certificate that vouches for the receiver; absent: those that Node knows.'),
    allow_insecure_http: trueOrFalse
      .default(false)
      .describe('Allows a url without TLS: what is sent can then be read on the way.'),
  })
  .describe('Calls an address when the phase changes. Absent: none.');
