import * as z from 'zod';
import { furtherProtocols } from '../lib/protocols.ts';
import {
  deniedDestination,
  fileOfAddresses,
  hostAndPort,
  interfaceName,
  listOf,
  offByDefault,
  oneOf,
  portEntry,
  prefix,
  publicAddress,
  trueOrFalse,
  wholeNumber,
} from './values.ts';

const connectionCount = wholeNumber(0, 1_000_000).optional();

/** The section `gateway` of the configuration. */
export const gatewaySection = z
  .strictObject({
    enabled: trueOrFalse
      .default(true)
      .describe('Forwards traffic; false: registered and connected only.'),
    uplink: interfaceName
      .optional()
      .describe(
        "Interface that leads to the Internet; absent: the one that the system sends packets by. With the package it is the host's.",
      ),
    allow_destinations: listOf(prefix, 1000)
      .default([])
      .describe(
        'Private addresses or prefixes that consumers may reach all the same. Dangerous; none by default.',
      ),
    deny_destinations: listOf(deniedDestination, 1000)
      .default([])
      .describe(
        'Addresses, prefixes and files of them ("file:/…") that consumers may not reach, whatever else allows it.',
      ),
    blocked_ports: listOf(portEntry, 1000)
      .default([25])
      .describe(
        'Ports that consumers may not reach: 25, "6881-6889", "udp/1900", or by name: mail, file-sharing, scanning, router-helpers, web-only. 25 is how spam is sent.',
      ),
    router_helpers: oneOf(['refuse', 'pass'])
      .default('refuse')
      .describe(
        'Old protocols (FTP, SIP, H.323, IRC) in which many home routers read along, and open ports that are named there. refuse: consumers cannot have your router open any; pass: for a router that does not do so.',
      ),
    other_protocols: listOf(oneOf(furtherProtocols), 16)
      .default([])
      .describe(
        'Protocols beside TCP, UDP and ping that consumers may use. They leave by address alone, so one that your home uses itself should stay closed; none by default.',
      ),
    strict_rules: oneOf(['auto', 'always', 'never'])
      .default('auto')
      .describe(
        'Refuses consumers what brings complaints to your address: most ports below 1024, BitTorrent, bad_addresses. auto: where strangers come by the source connect (mode public).',
      ),
    bad_addresses: listOf(fileOfAddresses, 16)
      .default([])
      .describe(
        'Files of addresses and prefixes ("file:/…") that the strict rules refuse, each read again when it changes.',
      ),
    connections: z
      .strictObject({
        per_consumer: connectionCount.describe(
          'Connections of each consumer address (IPv6: of each /64). Beyond it all addresses share as many as four of them have. Absent: a sixteenth of total.',
        ),
        total: connectionCount.describe(
          'Connections of all consumers. Absent: by the memory, 8192 at most.',
        ),
        new_per_second: connectionCount.describe(
          'New connections per second of each address, four times as many at once. Absent: by total, 64 at most.',
        ),
        half_open: connectionCount.describe(
          'TCP connections of each address that got no answer yet. Absent: half of per_consumer.',
        ),
      })
      .prefault({})
      .describe(
        'Ceilings for consumers, so that one of them leaves room for the others and for you; 0: none.',
      ),
    low_priority: trueOrFalse
      .default(true)
      .describe(
        'Marks what is shared as Lower Effort (RFC 8622): routers that know the mark put it last.',
      ),
    public_address: z
      .strictObject({
        ask_router: trueOrFalse.default(true).describe('Asks the router for it by NAT-PMP or PCP.'),
        upnp: offByDefault.describe('Asks the router by UPnP as well.'),
        stun: hostAndPort
          .optional()
          .describe(
            'A STUN server on the Internet to ask as well, HOST:PORT. It learns that this device exists.',
          ),
        fixed: publicAddress
          .optional()
          .describe('The address itself, where it stays the same and the router does not tell it.'),
      })
      .prefault({})
      .describe(
        "How the home's public address is found out, at which consumers could reach what the router shows.",
      ),
    permit_seconds: wholeNumber(5, 600)
      .default(60)
      .describe('Seconds after which the kernel stops forwarding when the agent is gone.'),
  })
  .describe('Forwarding between tunnel and Internet.');
