// The lecture notes to click through: each algorithm and each exercise, in parts. A part says what is
// different from the one before it.
import type { Point } from './api';
import type { Box, Learner, Tab } from './state';

export interface Part {
  text: string;
  data?: { kind: string; n: number; noise?: number; classes?: number };
  points?: Point[];
  kernel?: string;
  over?: string;
  learner?: Learner;
  C?: number;
  step?: number | null;
  map?: string;
  tab?: Tab;
  open?: Box[];
}

export interface Lesson {
  id: string;
  title: string;
  parts: Part[];
}

const corners: Point[] = [[-1, -1, 1], [1, 1, 1], [-1, 1, -1], [1, -1, -1]];

// Inside and outside of an ellipse that is neither upright nor about the origin.
const tilted: Point[] = [0.35, 0.75, 1.3, 1.6].flatMap((r, ring) =>
  Array.from({ length: 20 }, (_, k): Point => {
    const [u, v] = [1.7 * r * Math.cos((k + ring / 4) * 0.1 * Math.PI), 0.7 * r * Math.sin((k + ring / 4) * 0.1 * Math.PI)];
    const at = (x: number): number => Math.round(1000 * x) / 1000;
    return [at(0.1 + 0.8 * u - 0.6 * v), at(-0.1 + 0.6 * u + 0.8 * v), r < 1 ? 1 : -1];
  }));

export const lessons: Lesson[] = [
  {
    id: 'line',
    title: 'A line is not enough',
    parts: [
      {
        text: 'Four corners, opposite ones of the same class. No line has each class on its own side: with the linear kernel x·z, support vectors can only give up on some of them.',
        points: corners, kernel: 'linear', learner: 'svm', tab: 'gram',
      },
      {
        text: 'One more coordinate is enough: the product x1·x2 is positive on one class and negative on the other. In the lift, by [x1, x2, x1*x2], a plane goes between them. Turn it with the mouse.',
        map: '[x1, x2, x1*x2]', tab: 'lift',
      },
      {
        text: 'The rule stays linear in the new coordinates; seen from the old ones it is not. (x.z)^2 has the feature x1·x2 without our writing it down, and its boundary is the two axes.',
        kernel: '(x.z)^2', map: '', open: ['features'],
      },
    ],
  },
  {
    id: 'ellipse',
    title: 'Exercise 17: which features separate an ellipse?',
    parts: [
      {
        text: 'One class lies inside of an ellipse, the other one outside. Which feature vectors φ(x) are certain to make them linearly separable? A: φ = [x1, x2]. That is the plane itself, with lines for boundaries. Many points stay on the wrong side.',
        points: tilted, kernel: 'linear', learner: 'svm', C: 2, tab: 'gram', map: '',
      },
      {
        text: 'B: φ = [x1, x2, x1·x2]. The boundaries θ1 x1 + θ2 x2 + θ3 x1 x2 + θ0 = 0 are hyperbolas. No: an ellipse is none of them.',
        kernel: 'x.z + x1*x2*z1*z2', map: '[x1, x2, x1*x2]', tab: 'lift',
      },
      {
        text: 'C: φ = [x1, x2, x1² + x2²]. Boundaries are circles, of any middle and size. A stretched ellipse is not among them.',
        kernel: 'x.z + |x|^2*|z|^2', map: '[x1, x2, x1^2 + x2^2]',
      },
      {
        text: 'D: φ = [x1, x2, x1² + 2 x2²]. Ellipses now, but all with the same shape, and upright. This one is tilted, and it would be luck if it were not.',
        kernel: 'x.z + (x1^2 + 2*x2^2)*(z1^2 + 2*z2^2)', map: '[x1, x2, x1^2 + 2*x2^2]',
      },
      {
        text: 'E: φ = [x1, x2, x1 x2, x1², x2²]. Every conic section is a linear rule in these five, so every ellipse is. This is the answer: no point is on the wrong side. The lift shows the first three of them; all five separate.',
        kernel: 'x.z + x1*x2*z1*z2 + x1^2*z1^2 + x2^2*z2^2', map: '[x1, x2, x1*x2, x1^2, x2^2]',
      },
      {
        text: 'The kernel (1 + x·z)² has these features, with other factors and a constant: the same rules, without writing any of them down.',
        kernel: '(1 + x.z)^2', map: '', open: ['features'],
      },
    ],
  },
  {
    id: 'count',
    title: 'Exercise 18: counting dimensions',
    parts: [
      {
        text: 'All monomials of degree one and two in x1, x2: x1, x2, x1², x1 x2, x2². Five coordinates. They are those of x·z + (x·z)²; open “features” and count.',
        data: { kind: 'moons', n: 60 }, kernel: 'x.z + (x.z)^2', learner: 'svm', C: 1, tab: 'lift', map: '', open: ['features'],
      },
      {
        text: '(1 + x·z)² has the constant as well: six. In d dimensions and degree p there are (d + p choose p): here 4 over 2.',
        kernel: '(1 + x.z)^2',
      },
      {
        text: 'Degree 3: ten. The boundary has more freedom with every degree.',
        kernel: '(1 + x.z)^3',
      },
      {
        text: 'Degree 10: sixty-six, and still one multiplication and one power for each kernel value. That is the point of it.',
        kernel: '(1 + x.z)^10',
      },
      {
        text: 'rbf has infinitely many. Only the beginning of the list can be written.',
        kernel: 'rbf(0.5)',
      },
    ],
  },
  {
    id: 'map-kernel',
    title: 'Exercise 19: from features to the kernel',
    parts: [
      {
        text: 'φ(x) = [x1, x2, x1², √2 x1 x2, x2²]. Its inner product φ(x)·φ(z) is worked out above the lift. Is it x·z, x·z + (x·z)², (x·z)² or 2(x·z)²?',
        data: { kind: 'ellipse', n: 80 }, kernel: 'x.z', learner: 'svm', C: 2, tab: 'lift', map: '[x1, x2, x1^2, sqrt(2)*x1*x2, x2^2]',
      },
      {
        text: 'It is x·z + (x·z)². The first two coordinates give x·z, and the other three are the square: (x1 z1 + x2 z2)² has the mixed term 2 x1 z1 x2 z2, half of the 2 on either side is √2.',
        kernel: 'x.z + (x.z)^2', open: ['features'],
      },
      {
        text: 'Without the √2 the mixed term comes with 1 instead of 2, and the sum is no function of x·z any more: look at what stands above the lift now.',
        map: '[x1, x2, x1^2, x1*x2, x2^2]',
      },
    ],
  },
  {
    id: 'mixed',
    title: 'Exercise 20: which features make this kernel?',
    parts: [
      {
        text: 'k = x1 z1 + x2 z2 + x1 z2 + x2 z1. (The notes have a third coordinate that keeps to itself; it only adds its own product.) Mixed terms such as x1 z2 tell that some feature mixes coordinates.',
        data: { kind: 'blobs', n: 60 }, kernel: 'x1*z1 + x2*z2 + x1*z2 + x2*z1', learner: 'svm', C: 1, tab: 'lift', map: '[x1, x2]', open: ['features'],
      },
      {
        text: '[x1, x2] gives x·z: no mixed terms. [x1 + x2] gives (x1 + x2)(z1 + z2), which is it: one feature, the sum. So all that a rule can see is x1 + x2, and every boundary is a line across.',
        map: '[x1 + x2]',
      },
      {
        text: 'Another one: [x1, x1 + x2] has x1 z1 twice. One product too many, so it is not the same kernel.',
        map: '[x1, x1 + x2]',
      },
    ],
  },
  {
    id: 'perceptron',
    title: 'The kernel perceptron',
    parts: [
      {
        text: 'θ = Σ α_j y_j φ(x_j), and all α_j = 0 in the beginning. So θ = 0, every score is 0, and the first example is a mistake, whatever it is. Press Step.',
        data: { kind: 'moons', n: 40 }, kernel: 'rbf(1)', learner: 'perceptron', step: 0, tab: 'history', map: '', open: ['alphas'],
      },
      {
        text: 'Example 1 was on the wrong side: y_1 Σ_j α_j y_j k(x_j, x_1) ≤ 0. The rule is α_1 ← α_1 + 1, which is θ ← θ + y_1 φ(x_1). Nothing else changes. Its ring is its α.',
        step: 1,
      },
      {
        text: 'After one pass over all examples. Σ α is the number of mistakes so far; most examples have α = 0, since they were never wrong.',
        step: 40,
      },
      {
        text: 'It goes round until a pass has no mistake. With a margin γ in feature space there are never more than (R/γ)² mistakes, however long it runs. Press Run, then Rewind, and drag the slider.',
        step: 80,
      },
      {
        text: 'With rbf it always ends, if no point has both classes: the images of distinct points are linearly independent, so some θ separates any labels. Move a point across the boundary, and run again.',
        kernel: 'rbf(4)', step: 0,
      },
    ],
  },
  {
    id: 'rules',
    title: 'Composition rules',
    parts: [
      {
        text: 'Rule 0: the constant 1 is a kernel, with φ(x) = 1. So is every constant c ≥ 0.',
        data: { kind: 'moons', n: 40 }, kernel: '1', learner: 'ridge', tab: 'gram', map: '', over: 'R', open: ['proof', 'features'],
      },
      {
        text: 'Rule 1: f(x) k(x, z) f(z) is a kernel for any function f, with the features f(x) φ(x). With k = 1 and f(x) = x1: x1 z1.',
        kernel: 'x1*z1',
      },
      {
        text: 'Rule 2: the sum of two kernels is one; its features are both lists side by side. Coordinate by coordinate, the sum of the x_i z_i is x·z.',
        kernel: 'x.z + x1^2*z1^2',
      },
      {
        text: 'Rule 3: the product of two kernels is one; its features are all products of one of each.',
        kernel: '(x.z) * (1 + x.z)',
      },
      {
        text: 'All of them at once, as tiles: sums, products, exp (a limit of sums of powers). Whatever you build of kernels in this way is a kernel, and “why” says by which rules.',
        kernel: 'exp(x.z) * (1 + x.z)^2 + 2*rbf(1)', open: ['tiles-box', 'proof'],
      },
    ],
  },
  {
    id: 'which',
    title: 'Exercise 21: which of these are kernels?',
    parts: [
      {
        text: 'A: 1. Yes, φ(x) = 1. Open “why” for the proof.',
        data: { kind: 'moons', n: 40 }, kernel: '1', learner: 'ridge', tab: 'gram', map: '', over: 'R', open: ['proof'],
      },
      { text: 'B: x·z. Yes, φ(x) = x.', kernel: 'x.z' },
      { text: 'C: 1 + x·z. Yes, by the sum rule; φ(x) = [1, x1, x2].', kernel: '1 + x.z' },
      { text: 'D: (1 + x·z)². Yes, by the product rule.', kernel: '(1 + x.z)^2' },
      { text: 'E: exp(x + z) for numbers, here of the first coordinate. Yes: it is exp(x1)·exp(z1), and φ(x) = exp(x1).', kernel: 'exp(x1 + z1)' },
      {
        text: 'F: min(x, z) over whole numbers. No: at a negative number the “length” k(x, x) = x would be negative. One point is enough to refute it, and it is marked on the plane.',
        kernel: 'min(x1, z1)', over: 'Z',
      },
      {
        text: 'The same formula where x ≥ 0: a kernel. φ(x) is the function that is 1 from 0 to x and 0 beyond, and the integral of the product of two of them is the smaller number. It depends on where x and z may be.',
        over: 'R+',
      },
    ],
  },
  {
    id: 'rbf',
    title: 'The radial basis kernel',
    parts: [
      {
        text: 'exp(-|x-z|²/2) is 1 for equal points and falls with their distance. As a product it is f(x)·exp(x·z)·f(z) with f(x) = exp(-|x|²/2), and exp(x·z) is a series with positive coefficients: a kernel by the rules.',
        data: { kind: 'rings', n: 100 }, kernel: 'exp(-|x|^2/2) * exp(x.z) * exp(-|z|^2/2)', learner: 'svm', C: 1, tab: 'lift', map: '', over: 'R', open: ['proof', 'features'],
      },
      {
        text: 'There are infinitely many features, and the boundary Σ α_j y_j k(x_j, x) = 0 is linear in them, though here it is a ring.',
        kernel: 'rbf(0.5)',
      },
      {
        text: 'Two spirals. Any labels of distinct points are separable. Make γ smaller and larger: the boundary goes from too stiff to too nervous, and the Gram matrix from flat to diagonal.',
        data: { kind: 'spirals', n: 120 }, kernel: 'rbf(2)', tab: 'gram',
      },
      {
        text: 'γ = 30: every point is only like itself. Nothing is wrong on these points, and little was learned from them.',
        kernel: 'rbf(30)',
      },
    ],
  },
  {
    id: 'mercer',
    title: 'Mercer: a kernel is a matrix that never goes negative',
    parts: [
      {
        text: 'Similar points have images in similar directions, so their inner product is large: the Gram matrix, ordered by class, is bright in its two blocks.',
        data: { kind: 'blobs', n: 60 }, kernel: 'rbf(1)', learner: 'ridge', tab: 'gram', map: '', over: 'R',
      },
      {
        text: 'k is a kernel exactly if for all points and all numbers a the sum Σ a_i a_j k(x_i, x_j) is ≥ 0: it is |Σ a_i φ(x_i)|². No eigenvalue of a Gram matrix is negative then. For tanh(x·z), some points refute it: they are marked on the plane, with their a.',
        kernel: 'tanh(x.z)', open: ['proof'],
      },
      {
        text: 'x·z − 1 has k(0, 0) = −1: the squared length of φ(0) would be negative.',
        kernel: 'x.z - 1',
      },
      {
        text: 'A kernel is symmetric, too: k(x, z) = k(z, x). x1·z2 is not.',
        kernel: 'x1*z2',
      },
    ],
  },
  {
    id: 'lift',
    title: 'Making the non-linear linear',
    parts: [
      {
        text: 'Two rings, and no line between them. What new feature would help?',
        data: { kind: 'rings', n: 100 }, kernel: 'linear', learner: 'svm', C: 1, map: '', tab: 'gram',
      },
      {
        text: 'The distance to the middle. With x1² + x2² as a third coordinate the rings lie at different heights, and a plane separates them. Turn the picture with the mouse. The boundary below is where that plane cuts the bowl.',
        kernel: 'x.z + |x|^2*|z|^2', map: '[x1, x2, x1^2 + x2^2]', tab: 'lift',
      },
      {
        text: 'By hand one would add all features one can think of: x1, x2, x1 x2, x1², x2². In many dimensions these are far too many to write down.',
        kernel: 'x.z + (x.z)^2', map: '[x1, x2, x1*x2, x1^2, x2^2]',
      },
      {
        text: 'With every product of different coordinates there are 2^d features: 1, x1, x2, x1 x2 here. Their inner product is (1 + x1 z1)(1 + x2 z2): d factors instead of 2^d terms.',
        data: { kind: 'xor', n: 80 }, kernel: 'subsets', map: '', open: ['features'],
      },
    ],
  },
  {
    id: 'descent',
    title: 'Gradient descent on the squared loss',
    parts: [
      {
        text: 'Minimise Σ (w·φ(x_i) − y_i)². Start at w = 0, that is all α_i = 0: the loss is the number of points.',
        data: { kind: 'moons', n: 80 }, kernel: 'rbf(1)', learner: 'gd', step: 0, tab: 'history', map: '', open: ['alphas'],
      },
      {
        text: 'The gradient is a combination of the φ(x_i), so a step is α_i ← α_i − s γ_i with γ_i = 2 (f(x_i) − y_i). No w is needed: after t steps α_i = −s Σ γ_i over all of them.',
        step: 1,
      },
      {
        text: 'After ten passes. f(x_j) = Σ α_i k(x_i, x_j) uses the kernel alone.',
        step: 10,
      },
      {
        text: 'To the end. The loss falls fast along large eigenvalues of the Gram matrix and slowly along small ones.',
        step: null,
      },
      {
        text: 'All kernel values between the points, computed once and stored: training looks them up, and a new point only needs its own row. Here are the eigenvalues that set the pace.',
        tab: 'gram',
      },
    ],
  },
  {
    id: 'ridge',
    title: 'The squared loss, solved',
    parts: [
      {
        text: 'With a price λ|w|² the loss has a least value that one can solve for: (K + λI) α = y. Conjugate gradients get there in a few iterations: Rewind, then Step.',
        data: { kind: 'moons', n: 80, noise: 0.25 }, kernel: 'rbf(2)', learner: 'ridge', step: 1, tab: 'history', map: '',
      },
      { text: 'The solution. A large λ makes it smooth; a small one lets it follow every point. Move the slider.', step: null },
    ],
  },
  {
    id: 'margin',
    title: 'Support vectors: the widest margin',
    parts: [
      {
        text: 'Of all rules with y_i (θ·φ(x_i) + b) ≥ 1 the one with the least |θ|, whose margin 1/|θ| is the widest. Dashed lines are where the score is ±1.',
        data: { kind: 'moons', n: 80 }, kernel: 'rbf(1)', learner: 'svm', C: 4, step: null, tab: 'gram', map: '',
      },
      {
        text: 'The Lagrangian has an α_i ≥ 0 for each point, and θ = Σ α_i y_i φ(x_i). Only points on the margin have α_i > 0: the support vectors, with rings. Erase any other point, and nothing changes.',
        open: ['alphas'],
      },
      {
        text: 'It is solved by moving two α at a time. Here are the first moves: Rewind, Step, Run.',
        step: 6, tab: 'history',
      },
      {
        text: 'Where no rule gets all points right, or only with a tiny margin, points may fall short by a slack ξ_i at the price C. A small C gives some up for a wide margin. Thick rings are points at their bound, α = C.',
        data: { kind: 'moons', n: 80, noise: 0.35 }, C: 0, step: null,
      },
    ],
  },
  {
    id: 'classes',
    title: 'More than two classes',
    parts: [
      {
        text: 'Three classes. Support vectors decide between each two of them, and the class that wins most often is said.',
        data: { kind: 'blobs', n: 90, classes: 3, noise: 1 }, kernel: 'rbf(0.5)', learner: 'svm', C: 1, step: null, tab: 'gram', map: '',
      },
      {
        text: 'Perceptrons: one for each class against the rest, and the largest score wins. A visit can be a mistake of several.',
        learner: 'perceptron', step: 90, tab: 'history',
      },
      {
        text: 'Four arms of a spiral. Paint points of other classes: 1, 2, 3, … on the keyboard, or choose one at the left.',
        data: { kind: 'spirals', n: 160, classes: 4 }, kernel: 'rbf(3)', learner: 'svm', C: 2, step: null,
      },
    ],
  },
];
