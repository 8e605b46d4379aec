const waits = 'Nothing to do: the agent keeps trying.';

/**
 * The reasons that time ends: the agent goes on trying, or it is a state that passes. Each has one
 * line for the owner with the command to type, where one helps.
 */
export const passingReasons = {
  'service-unreachable': {
    fixedBy: 'time',
    action: `Check this device's Internet connection; a service in your own network has to be in gateway.allow_destinations. The agent keeps trying.`,
  },
  'service-failed': { fixedBy: 'time', action: waits },
  'operation-not-served': {
    fixedBy: 'time',
    action:
      'Nothing to do: the service does not offer this. The agent still enforces its own mode.',
  },
  'mode-not-applied': {
    fixedBy: 'time',
    action:
      "Nothing to do at first: the agent asks again each minute. If it lasts, tell the service's operator.",
  },
  'mode-not-told': {
    fixedBy: 'time',
    action: 'Just wait: consumers come when the service knows.',
  },
  'rate-limited': {
    fixedBy: 'time',
    action: 'Nothing to do: the agent asks again when the service allows it.',
  },
  'answer-redirected': {
    fixedBy: 'time',
    action: 'Check service.base_url, and that no sign-in page is in between.',
  },
  'answer-not-json': {
    fixedBy: 'time',
    action: 'Check service.base_url, and that no sign-in page is in between.',
  },
  'answer-invalid': {
    fixedBy: 'time',
    action: 'Check service.base_url and service.profile: tributary config show',
  },
  'answer-too-large': { fixedBy: 'time', action: 'Check service.base_url: tributary config show' },
  'answer-truncated': { fixedBy: 'time', action: waits },
  'auth-code-limit-exceeded': {
    fixedBy: 'time',
    action: 'Wait until a code is used or has expired.',
  },
  starting: { fixedBy: 'time', action: 'Just wait: this takes a few seconds.' },
  stopping: { fixedBy: 'time', action: 'To start it again: sudo systemctl start tributary' },
  registering: { fixedBy: 'time', action: 'Just wait: this takes a few seconds.' },
  'no-uplink': {
    fixedBy: 'time',
    action:
      'Check the cable or Wi-Fi, and gateway.uplink if you named one. To see the way out: ip route get 193.0.14.129',
  },
  'no-handshake': {
    fixedBy: 'time',
    action: 'Check that outgoing UDP to the endpoint is allowed by your router and firewall.',
  },
  'source-not-alive': {
    fixedBy: 'time',
    action:
      "Check this device's Internet connection; the log says more: journalctl -u tributary. The agent keeps trying.",
  },
  'not-listed': {
    fixedBy: 'time',
    action:
      'Leave it connected: it is listed by itself. tributary status says when, and which minutes were lost.',
  },
  'listing-at-risk': {
    fixedBy: 'time',
    action:
      'Find out what interrupts the connection: a cable in place of Wi-Fi often helps. The log has each interruption: journalctl -u tributary',
  },
  'tunnel-starting': { fixedBy: 'time', action: 'Just wait: this takes a few seconds.' },
  'gateway-starting': { fixedBy: 'time', action: 'Just wait: this takes a few seconds.' },
  'engine-failed': {
    fixedBy: 'time',
    action:
      'Nothing to do: it is started again. If it lasts, see what it says: journalctl --unit tributary',
  },
  'platform-unreachable': {
    fixedBy: 'time',
    action:
      'Nothing to do: it is tried again. If it lasts, check connect.urls: tributary config show',
  },
  'cap-ending': {
    fixedBy: 'time',
    action:
      'Nothing to do: open connections may finish. For more: sudo tributary config set provide.cap.bytes "600 GB"',
  },
  'clock-unset': {
    fixedBy: 'time',
    action: 'Nothing to do where it has Internet: the time comes from there. See: timedatectl',
  },
  'cap-reached': {
    fixedBy: 'time',
    action:
      'Wait for the next period, or raise the cap: sudo tributary config set provide.cap.bytes "600 GB"',
  },
} as const;
