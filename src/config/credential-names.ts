/**
 * Every secret that can be handed in: its name in the environment, which has a `_FILE` twin,
 * systemd's name for it, and its form, if it has one.
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
    // Anyone who reaches the page can try to guess it, and it is sent in a header.
    form: {
      pattern: /^[!-~]{16,512}$/,
      says: '16 to 512 letters, digits and signs, without spaces',
    },
  },
} as const;

export type CredentialName = keyof typeof credentialNames;
