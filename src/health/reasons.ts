import { type ErrorCode, errorKinds } from '../lib/errors.ts';

const login = 'Sign in: tributary login';
const tools = 'See that the tools work here, as root: nft list tables; wg show; ip link';
const waits = 'Nothing: the agent keeps trying.';

/** What goes on until the owner fixes it, with the one line for the owner: the command to type where there is one. */
const fixedByOwner = {
  'usage-invalid': 'See how it is used: tributary help',
  'configuration-invalid': 'See every error at once: tributary config check',
  'not-allowed': 'Run it as root, or as the user that owns what is named.',
  'missing-program':
    'Install the program that is named; on Debian: apt-get install nftables wireguard-tools wireguard-go iproute2',
  'command-failed': tools,
  'already-running': 'See the one that runs: tributary status',
  'not-running': 'Start the agent: sudo systemctl start tributary; without a package: tributary run',
  'state-unreadable': 'See whose the named file is: ls -la. If it is broken, remove it and set the mode again.',
  'state-unwritable':
    'See df -h. A dying SD card turns read-only: a reboot forgets the count for a cap, a crash the kernel settings before.',
  'signed-out': login,
  'sign-in-refused': 'Usually nothing: the agent keeps the sign-in and asks again. After hours of it: tributary login',
  'auth-code-refused': 'Ask the service for a new code, then: tributary login',
  'insecure-url': 'Use an https:// address in service.base_url, or say service.allow_insecure_http: true',
  'service-refused': "Read the service's message; where it is about the sign-in: tributary login",
  'not-authorized': login,
  'profile-unclear': 'Ask the service which dialect it speaks, and set service.profile: documented or production',
  'client-limit-exceeded': 'Remove a device you no longer use from your network.',
  'registration-incomplete': 'Check that your plan with the service includes WireGuard.',
  'identity-moved':
    'Moved here for good: sudo tributary device keep. A copy of one that still runs: sudo tributary device new',
  'wireguard-text-refused': "Tell the service's operator; nothing of the text was used.",
  'outside-unknown':
    "Name your connection's public address in gateway.deny_destinations, or let it be asked for: gateway.public_address",
  'list-refused': 'Correct the file that is named; every error at once: tributary config check',
  'address-collision': 'Give the network that is named another address range: it and the tunnel cannot share one.',
  'no-ipv6':
    'To share over IPv6 as well, enable IPv6 where the agent runs (sysctl net.ipv6.conf.all.disable_ipv6=0; a kernel started with ipv6.disable=1 has none).',
  'tunnel-failed': tools,
  'gateway-failed': tools,
  'self-test-failed':
    'Look for firewall rules or tc filters of other programs where the agent runs: nft list ruleset; tributary doctor',
  'host-namespace': 'Make a network namespace for it, as root: tributary namespace up',
  'lab-failed': 'Run it again with --keep and look around.',
  'output-failed': 'Make room where the output goes, or send it elsewhere.',
  // States rather than failures, as those at the end below.
  'consumer-tunnel':
    'Nothing is broken here. Ask the service whether its tunnels bring consumers; docs/networks.md says what is known.',
  'gateway-disabled': 'To provide, set gateway.enabled: true and reload.',
} as const;

/** What the agent tries again without being asked. */
const fixedByTime = {
  'service-unreachable': `Check this device's Internet connection; a service in your own network has to be in gateway.allow_destinations. ${waits}`,
  'service-failed': waits,
  'operation-not-served': 'Nothing: the service does not offer it. The agent enforces its own mode all the same.',
  'rate-limited': 'Nothing: the agent asks again when the service allows it.',
  'answer-redirected': 'Check service.base_url, and that no sign-in page is in between.',
  'answer-not-json': 'Check service.base_url, and that no sign-in page is in between.',
  'answer-invalid': 'Check service.base_url and service.profile: tributary config show',
  'answer-too-large': 'Check service.base_url: tributary config show',
  'answer-truncated': waits,
  'auth-code-limit-exceeded': 'Wait until a code is used or has expired.',
  starting: 'Nothing: this takes seconds.',
  stopping: 'Nothing. To have it back: tributary run',
  registering: 'Nothing: this takes seconds.',
  'no-uplink': 'Check the cable or Wi-Fi, or name the interface in gateway.uplink: ip route',
  'no-handshake': 'Check that outgoing UDP to the endpoint is allowed by your router and firewall.',
  'tunnel-starting': 'Nothing: this takes seconds.',
  'gateway-starting': 'Nothing: this takes seconds.',
  'cap-ending': 'Nothing: what is open goes on to the end. For more, raise provide.cap.bytes and reload.',
  'cap-reached': 'Wait for the next period, or raise provide.cap.bytes and reload.',
} as const;

/** Every code that a reason in `status` can carry. */
export type ReasonCode = ErrorCode | keyof typeof fixedByOwner | keyof typeof fixedByTime;

const actions: Readonly<Record<ReasonCode, string>> = { ...fixedByOwner, ...fixedByTime };

export function findAction(code: ReasonCode): string {
  return actions[code];
}

/** The same for a code from elsewhere; undefined for one that is not known here. */
export function findKnownAction(code = ''): string | undefined {
  return Object.entries(actions).find(([known]) => known === code)?.[1];
}

/** True where waiting does not help: the owner has to fix something. */
export function isForOwner(code: ReasonCode): boolean {
  return Object.hasOwn(fixedByOwner, code);
}

/** True for a code of an error, as text from elsewhere may or may not be. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorKinds, code);
}
