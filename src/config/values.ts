import { isIP, isIPv4 } from 'node:net';
import * as z from 'zod';
import { isOnInternet, parsePrefix } from '../lib/addresses.ts';
import { toHostName } from '../lib/host-name.ts';
import { type HostPort, parseHostPort } from '../lib/host-port.ts';
import { otherProtocols, parsePortRange } from '../lib/ports.ts';
import { SecretAddress } from '../lib/secret.ts';
import { isDenied, isListFile } from './deny-destinations.ts';
import { isPreset } from './port-presets.ts';

// Every message says what is allowed, so that it fits after "allowed:" in an error line.

/** Text of this form; for any other value the error is `allowed`. */
export function textLike(pattern: RegExp, allowed: string) {
  return z.string({ error: allowed }).regex(pattern, allowed);
}

function textThat(isAllowed: (text: string) => boolean, allowed: string) {
  return z.string({ error: allowed }).refine(isAllowed, allowed);
}

function hostPortThat(isAllowed: (parts: HostPort) => boolean, allowed: string) {
  return z.string({ error: allowed }).transform((text, context) => {
    const parts = parseHostPort(text);
    if (parts !== undefined && isAllowed(parts)) return parts;
    context.addIssue({ code: 'custom', message: allowed });
    return z.NEVER;
  });
}

/** A whole number between two bounds, which are included. */
export function wholeNumber(least: number, most: number): z.ZodInt {
  const error = `a whole number from ${least} to ${most}`;
  return z.int({ error }).min(least, { error }).max(most, { error });
}

/** One of a few words. */
export function oneOf<const Words extends readonly string[]>(words: Words) {
  return z.enum(words, { error: words.map((word) => `"${word}"`).join(', ') });
}

export const trueOrFalse = z.boolean({ error: 'true or false' });
export const offByDefault = trueOrFalse.default(false);

/** One line of text whose length in characters is between two bounds, which are included. */
export function line(least: number, most: number) {
  const error = `one line of ${least} to ${most} characters`;
  return z
    .string({ error })
    .min(least, { error })
    .max(most, { error })
    .refine((text) => !/\p{Cc}/u.test(text), error);
}

/** The path of a file; absent for none. */
export const filePath = line(1, 4096).optional();

/** A list of at most `most` items of one kind. */
export function listOf<Item extends z.ZodType>(item: Item, most: number) {
  const error = `a list of at most ${most}, such as "[one, other]"`;
  return z.array(item, { error }).max(most, { error });
}

/**
 * `198.51.100.0/24`, `2001:db8::/32` or a single address; never a prefix so wide that it would open
 * the owner's whole network.
 */
export const prefix = textThat(
  (text) => parsePrefix(text) !== undefined,
  'an IPv4 or IPv6 address or prefix, such as "198.51.100.0/24"',
).refine((text) => {
  const parsed = parsePrefix(text);
  return parsed === undefined || parsed.length >= (parsed.family === 4 ? 8 : 7);
}, 'a prefix of /8 or longer (IPv6: /7 or longer): a wider one would open every private network');

/** An address that a home can have on the Internet. */
export const publicAddress = textThat(
  (text) => isIPv4(text) && isOnInternet(text),
  'an IPv4 address on the Internet, such as "203.0.113.7"',
);

/** A destination that consumers may not reach: an address, a prefix, or a file of them. */
export const deniedDestination = textThat(
  isDenied,
  'an address, a prefix of /1 or longer, or a file of them by its full path, such as "file:/etc/tributary/lists/drop.txt"',
);

/** A file of addresses. */
export const fileOfAddresses = textThat(
  isListFile,
  'a file of addresses by its full path, such as "file:/etc/tributary/lists/bad.txt"',
);

const wrongPorts = {
  error:
    'a port from 1 to 65535, a range ("6881-6889"), ports of one protocol ("udp/1900", "tcp/6660-6669") or "mail", "file-sharing", "scanning", "router-helpers", "web-only", "other-protocols"',
  abort: true,
};

/**
 * An entry of `gateway.blocked_ports`: a port, a range, ports of one protocol, or the name of a
 * group.
 */
export const portEntry = z.union(
  [
    z.int(wrongPorts).min(1, wrongPorts).max(65_535, wrongPorts),
    z
      .string(wrongPorts)
      .regex(/^((tcp|udp)\/)?\d{1,5}(-\d{1,5})?$|^[a-z]+(-[a-z]+)*$/, wrongPorts)
      .refine(
        (text) => isPreset(text) || text === otherProtocols || parsePortRange(text) !== undefined,
        wrongPorts,
      ),
  ],
  wrongPorts,
);

export const ipAddress = textThat((text) => isIP(text) !== 0, 'an IPv4 or IPv6 address');

/**
 * Five fields: minute, hour, day of month, month, day of week. They are separated by single blanks
 * afterwards and checked elsewhere.
 */
export const cronExpression = textThat(
  // No field allows a number of three digits, and a range up to one would be expanded number by
  // number.
  (text) => text.trim().split(/\s+/).length === 5 && !/\d{3}/.test(text),
  'a cron expression of five fields (minute, hour, day, month, day of week), such as "0 22 * * *"',
).transform((text) => text.trim().split(/\s+/).join(' '));

export const timeZoneName = textThat(isTimeZone, 'a time zone name, such as "Europe/Berlin"');

export const interfaceName = textLike(
  /^[A-Za-z][A-Za-z0-9_.-]{0,14}$/,
  'an interface name: a letter, then at most 14 letters, digits, "_", "." or "-"',
);

/** Where a server listens: an address and a port, which is 0 for off; it becomes a `HostPort`. */
export const listenAddress = hostPortThat(
  ({ host }) => isIP(host) !== 0,
  'ADDRESS:PORT, such as "127.0.0.1:9469" or "[::1]:9469"; port 0 turns it off',
);

/** A host by name or IPv4 address, and a port; it becomes a `HostPort`. */
export const hostAndPort = hostPortThat(
  ({ host, port }) => /^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/.test(host) && port > 0,
  'HOST:PORT, such as "stun.example:3478"',
);

/**
 * A name of this machine. Patterns are not allowed: anyone who can register names below a domain
 * could make one that matches.
 */
export const hostName = textThat(
  (text) => toHostName(text) !== undefined,
  'a host name without "https://", port and "*", such as "tributary.example.org"',
);

const socketAllowed = 'an absolute path of at most 100 bytes';
export const socketPath = z
  .string({ error: socketAllowed })
  .startsWith('/', socketAllowed)
  .refine((text) => Buffer.byteLength(text) <= 100 && !text.includes('\0'), socketAllowed);

/** The service's address without trailing slashes, user, password, query or fragment. */
export const serviceUrl = webAddress('https://service.example/api')
  .refine((text) => !/[?#]/.test(text), 'an address without query and fragment')
  .transform((text) => text.replace(/\/+$/, ''));

/** The address of a webhook: path and query unchanged, without user, password or fragment. */
export const webhookUrl = webAddress('https://hooks.example/tributary')
  .refine((text) => !text.includes('#'), 'an address without fragment')
  .transform((text) => new SecretAddress(text));

const platformAllowed =
  'a wss:// address without user, password, query and fragment, such as "wss://connect.service.example"';

/** The address of a platform that consumers come by. */
export const platformUrl = z
  .url({ protocol: /^wss?$/, error: platformAllowed, abort: true })
  .refine((text) => /^wss?:\/\/[^?#@]+$/.test(text), platformAllowed);

const brokerAllowed =
  'an mqtts:// address without path, user and password, such as "mqtts://broker.example:8883"';

/** The address of an MQTT broker: only host and port. */
export const brokerUrl = z
  .url({ protocol: /^mqtts?$/, error: brokerAllowed, abort: true })
  .refine((text) => /^mqtts?:\/\/[^/?#@]+\/?$/.test(text), brokerAllowed);

const topicAllowed = 'an MQTT topic of letters, digits, "_", "-" and "/", such as "home/tributary"';
export const mqttTopic = textLike(/^[A-Za-z0-9_-]+(\/[A-Za-z0-9_-]+)*$/, topicAllowed).max(
  100,
  topicAllowed,
);

function webAddress(example: string) {
  return z
    .url({ protocol: /^https?$/, error: `an https:// address, such as "${example}"`, abort: true })
    .refine((text) => !/^[^:]+:\/\/[^/?#]*@/.test(text), 'an address without user and password');
}

/** Whether it is the name of a time zone, in whatever letters. */
export function isTimeZone(text: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}
