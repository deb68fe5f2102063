// The same colours as in the pictures of `mercer plot`: Okabe and Ito's for classes, viridis for values.
export type Rgb = [number, number, number];

// Of the classes -1, 1, 2, 3, 4, 5.
const classes: Rgb[] = [
  [0x00, 0x72, 0xb2], [0xd5, 0x5e, 0x00], [0x00, 0x9e, 0x73], [0xcc, 0x79, 0xa7], [0xe6, 0x9f, 0x00], [0x56, 0xb4, 0xe9],
];
export const [negative, positive] = classes;

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
const place = (label: number): number => Math.max(0, label) % classes.length;
export const ofClass = (label: number): Rgb => classes[place(label)];
export const signs = ['●', '■', '▲', '◆', '▼', '⬟'];
export const signOf = (label: number): string => signs[place(label)];

// The shapes of `mercer plot`, one for each class.
export function mark(c: CanvasRenderingContext2D, x: number, y: number, label: number, radius: number): void {
  const shape = place(label);
  c.beginPath();
  if (shape === 0) c.arc(x, y, radius, 0, 2 * Math.PI);
  else if (shape === 1) c.rect(x - 0.91 * radius, y - 0.91 * radius, 1.82 * radius, 1.82 * radius);
  else {
    const [corners, turn, size] = [[3, 0, 1.35], [4, 0, 1.25], [3, Math.PI, 1.35], [5, 0, 1.15]][shape - 2];
    for (let k = 0; k < corners; ++k) {
      const angle = turn + (2 * Math.PI * k) / corners;
      c.lineTo(x + radius * size * Math.sin(angle), y - radius * size * Math.cos(angle));
    }
    c.closePath();
  }
}
