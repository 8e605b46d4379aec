import * as z from 'zod';
import { dataSize } from './amounts.ts';
import { privatePrefix } from './private-prefix.ts';
import { listOf, oneOf, platformUrl, textLike } from './values.ts';

/** Where consumers' traffic comes from: a WireGuard tunnel, the network's own protocol, or both. */
export const trafficSources = ['wireguard', 'connect', 'both'] as const;

/** Whether consumers' packets are sealed: where they offer it, always, or never. */
const encryptionModes = ['opportunistic', 'required', 'off'] as const;

/** The owner's limit of unpaid data, where the owner says nothing. */
export const usualUnpaidLimit = '256 MiB';

/** The section `connect` of the configuration. */
export const connectSection = z
  .strictObject({
    interface: textLike(
      /^[a-z][a-z0-9-]{0,14}$/,
      'an interface name: a small letter, then at most 14 small letters, digits or "-"',
    )
      .default('tributary-c0')
      .describe("Name of the interface that consumers' packets come by."),
    urls: listOf(platformUrl, 16)
      .default([])
      .describe('Addresses of the platform that consumers come by; empty: by service.base_url.'),
    pool_ipv4: privatePrefix(4, 8, 28)
      .default('100.126.0.0/16')
      .describe(
        'Private addresses that consumers have on this device, out of the way of your own.',
      ),
    pool_ipv6: privatePrefix(6, 8, 120)
      .default('fd5e:b4c2:91d7::/112')
      .describe('The same for IPv6.'),
    encryption: oneOf(encryptionModes)
      .default('opportunistic')
      .describe(
        'Whether what goes between consumers and this device is sealed. "required" serves nobody else, which most are.',
      ),
    unpaid_limit: dataSize
      .prefault(usualUnpaidLimit)
      .describe(
        'Most data that one consumer may carry unpaid until it brings a new contract: above it, its connections are broken, so that it comes back and is paid for.',
      ),
  })
  .describe("The network's own protocol, where source names it.");
