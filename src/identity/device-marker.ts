/** `device_spec` on the wire: the owner's text and a marker by which this installation knows its own client again. */
export function markDeviceSpec(spec: string, installId: string): string {
  return `${spec} [tributary:${installId}]`.trimStart();
}

/** The installation that a device spec is marked with; undefined where it carries no marker. */
export function readInstallId(deviceSpec: string | undefined): string | undefined {
  return /\[tributary:([0-9a-f]{16})\]/.exec(deviceSpec ?? '')?.[1];
}
