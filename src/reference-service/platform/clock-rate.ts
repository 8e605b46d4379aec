/**
 * A header of `/connect/control` by which programs of the sandbox are told how many of the
 * platform's seconds pass in one.
 */
export const clockRateHeader = 'x-sandbox-clock-rate';
