/**
 * What the page may change: how much is shared, with whom and when. All of it takes effect without
 * a restart, and none of it decides what the firewall lets into the home or whom the agent talks
 * with.
 */
export const settingKeys: readonly string[] = [
  'provide.mode',
  'provide.cap.bytes',
  'provide.rate_limit.line',
  'provide.schedule',
];
