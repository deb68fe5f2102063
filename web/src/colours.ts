// The same colours as in the pictures of `mercer plot`: Okabe and Ito's for classes, viridis for values.
export type Rgb = [number, number, number];

export const negative: Rgb = [0x00, 0x72, 0xb2];
export const positive: Rgb = [0xd5, 0x5e, 0x00];

const viridis: Rgb[] = [
  [0x44, 0x01, 0x54], [0x47, 0x2d, 0x7b], [0x3b, 0x52, 0x8b], [0x2c, 0x72, 0x8e], [0x21, 0x91, 0x8c],
  [0x28, 0xae, 0x80], [0x5e, 0xc9, 0x62], [0xad, 0xdc, 0x30], [0xfd, 0xe7, 0x25],
];
const twoSided: Rgb[] = [
  [0x08, 0x45, 0x7e], [0x5a, 0xa2, 0xd6], [0xf7, 0xf7, 0xf7], [0xe8, 0x9a, 0x5b], [0x8c, 0x3a, 0x00],
];

export function mixed(a: Rgb, b: Rgb, share: number): Rgb {
  return [0, 1, 2].map((k) => a[k] + (b[k] - a[k]) * share) as Rgb;
}

function between(stops: Rgb[], share: number): Rgb {
  const at = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const k = Math.min(Math.floor(at), stops.length - 2);
  return mixed(stops[k], stops[k + 1], at - k);
}

export const valueColour = (share: number): Rgb => between(viridis, share);
export const signedColour = (share: number): Rgb => between(twoSided, (share + 1) / 2);
export const css = (c: Rgb, alpha = 1): string =>
  `rgba(${c.map((v) => Math.round(v)).join(',')},${alpha})`;
export const ofClass = (y: number): Rgb => (y > 0 ? positive : negative);
