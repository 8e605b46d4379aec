/**
 * Every secret that can be handed in: its environment name, which has a `_FILE` twin, systemd's
 * name, and its form, if any.
 */
export const credentialNames = {
  authCode: { environment: 'TRIBUTARY_AUTH_CODE', systemd: 'auth-code' },
  networkJwt: { environment: 'TRIBUTARY_NETWORK_JWT', systemd: 'network-jwt' },
  mqttPassword: { environment: 'TRIBUTARY_MQTT_PASSWORD', systemd: 'mqtt-password' },
  webhookUrl: { environment: 'TRIBUTARY_WEBHOOK_URL', systemd: 'webhook-url' },
  webhookSecret: { environment: 'TRIBUTARY_WEBHOOK_SECRET', systemd: 'webhook-secret' },
  statusToken: {
    environment: 'TRIBUTARY_STATUS_TOKEN',
    systemd: 'status-token',
    // It is tried by anyone who reaches the page, and goes into a header.
    form: {
      pattern: /^[!-~]{16,512}$/,
      says: '16 to 512 letters, digits and signs, without spaces',
    },
  },
} as const;

export type CredentialName = keyof typeof credentialNames;
