import { type ErrorCode, errorKinds } from '../lib/errors.ts';

const login = 'Sign in: tributary login';
const tools = 'Check that these work as root: nft list tables; wg show; ip link';
const waits = 'Nothing to do: the agent keeps trying.';

/**
 * Codes that last until the owner fixes them, with one line for the owner: the command to type,
 * where one helps.
 */
const fixedByOwner = {
  'usage-invalid': 'See how it is used: tributary help',
  'configuration-invalid': 'See every error at once: tributary config check',
  'not-allowed': 'Run it with sudo.',
  'missing-program':
    'Install the program that is named; on Debian: apt-get install nftables wireguard-tools wireguard-go iproute2',
  'command-failed': tools,
  'already-running': 'See the running agent: tributary status',
  'not-running':
    'Start the agent: sudo systemctl start tributary (without the package: tributary run)',
  'state-unreadable':
    'Check who owns the file: ls -la. If it is damaged, remove it and set the mode again.',
  'state-unwritable':
    "Check for a full disk (df -h) or a read-only SD card. Until then a reboot loses the cap's count, and a crash the original kernel settings.",
  'signed-out': login,
  'sign-in-refused':
    'Usually nothing: the agent keeps the sign-in and asks again. After hours of it: tributary login',
  'auth-code-refused': 'Ask the service for a new code, then: tributary login',
  'insecure-url':
    'Use an https:// address in service.base_url, or set service.allow_insecure_http: true',
  'service-refused': "Read the service's message. If it is about the sign-in: tributary login",
  'not-authorized': login,
  'profile-unclear':
    'Ask the service which profile it uses, then set service.profile: documented or production',
  'client-limit-exceeded': 'Remove a device you no longer use from your network.',
  'registration-incomplete': 'Check that your plan with the service includes WireGuard.',
  'identity-moved':
    'If you moved it here for good: sudo tributary device keep. If the original still runs: sudo tributary device new',
  'wireguard-text-refused': "Report it to the service's operator; none of the text was used.",
  'outside-unknown':
    'Add your public address to gateway.deny_destinations, or allow more ways to find it: gateway.public_address',
  'list-refused': 'Correct that file. To see every error: tributary config check',
  'address-collision':
    'Give your network another address range: it and the tunnel cannot share one.',
  'no-ipv6':
    'To share over IPv6 as well, enable IPv6 where the agent runs (sysctl net.ipv6.conf.all.disable_ipv6=0; a kernel started with ipv6.disable=1 has none).',
  'tunnel-failed': tools,
  'gateway-failed': tools,
  'self-test-failed':
    'Look for firewall rules or tc filters of other programs where the agent runs: nft list ruleset; tributary doctor',
  'host-namespace': 'Create its namespace: sudo tributary namespace up',
  'lab-failed': 'Run it again with --keep and look around.',
  'output-failed': 'Make room where the output goes, or send it elsewhere.',
  // These are states rather than failures, as are the last ones below.
  'consumer-tunnel':
    'Nothing is broken here. Ask the service whether its tunnels bring consumers; docs/networks.md says what is known.',
  'gateway-disabled': 'To provide, set gateway.enabled: true and reload.',
} as const;

/** Codes of failures that the agent retries on its own. */
const fixedByTime = {
  'service-unreachable': `Check this device's Internet connection; a service in your own network has to be in gateway.allow_destinations. The agent keeps trying.`,
  'service-failed': waits,
  'operation-not-served':
    'Nothing to do: the service does not offer this. The agent still enforces its own mode.',
  'rate-limited': 'Nothing to do: the agent asks again when the service allows it.',
  'answer-redirected': 'Check service.base_url, and that no sign-in page is in between.',
  'answer-not-json': 'Check service.base_url, and that no sign-in page is in between.',
  'answer-invalid': 'Check service.base_url and service.profile: tributary config show',
  'answer-too-large': 'Check service.base_url: tributary config show',
  'answer-truncated': waits,
  'auth-code-limit-exceeded': 'Wait until a code is used or has expired.',
  starting: 'Just wait: this takes a few seconds.',
  stopping: 'To start it again: sudo systemctl start tributary',
  registering: 'Just wait: this takes a few seconds.',
  'no-uplink': 'Check the cable or Wi-Fi, or name the interface in gateway.uplink: ip route',
  'no-handshake': 'Check that outgoing UDP to the endpoint is allowed by your router and firewall.',
  'tunnel-starting': 'Just wait: this takes a few seconds.',
  'gateway-starting': 'Just wait: this takes a few seconds.',
  'cap-ending':
    'Nothing to do: open connections may finish. For more, raise provide.cap.bytes and reload.',
  'cap-reached': 'Wait for the next period, or raise provide.cap.bytes and reload.',
} as const;

/** Every code that a reason in `status` can carry. */
export type ReasonCode = ErrorCode | keyof typeof fixedByOwner | keyof typeof fixedByTime;

const actions: Readonly<Record<ReasonCode, string>> = { ...fixedByOwner, ...fixedByTime };

export function findAction(code: ReasonCode): string {
  return actions[code];
}

/** What to do about a code that comes from elsewhere; undefined for a code that is unknown here. */
export function findKnownAction(code = ''): string | undefined {
  return Object.entries(actions).find(([known]) => known === code)?.[1];
}

/** True where waiting does not help, because the owner has to fix something. */
export function isForOwner(code: ReasonCode): boolean {
  return Object.hasOwn(fixedByOwner, code);
}

/** True for the code of an error of ours; text from elsewhere may be any other. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorKinds, code);
}
