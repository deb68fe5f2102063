// The subjects of the lecture notes, one click each.
import type { Point } from './api';

export interface Lesson {
  title: string;
  text: string;
  data?: { kind: string; n: number; noise?: number };
  points?: Point[];
  kernel: string;
  learner: 'svm' | 'perceptron' | 'gd' | 'ridge';
  map?: string;
  tab: 'lift' | 'gram' | 'history';
}

export const lessons: Lesson[] = [
  {
    title: 'A line is not enough',
    text: 'Four corners, opposite ones of the same class: no line has each class on its own side. The support vectors of the linear kernel can only give up. Now type (x.z)^2 or poly(2), or look at the lift by [x1, x2, x1*x2]: the product x1·x2 is the missing coordinate.',
    points: [[-1, -1, 1], [1, 1, 1], [-1, 1, -1], [1, -1, -1]],
    kernel: 'linear', learner: 'svm', map: '[x1, x2, x1*x2]', tab: 'lift',
  },
  {
    title: 'Making the non-linear linear',
    text: 'Two rings. With the coordinate x1² + x2² beside x1 and x2 they lie at different heights, and a plane separates them. Turn the picture with the mouse. The boundary in the plane is where that plane cuts the bowl.',
    data: { kind: 'rings', n: 100 }, kernel: 'x.z + |x|^2*|z|^2', learner: 'svm',
    map: '[x1, x2, x1^2 + x2^2]', tab: 'lift',
  },
  {
    title: 'Every ellipse (exercise 17)',
    text: 'Any ellipse is a linear rule in the features x1, x2, x1·x2, x1², x2²: those of (1 + x.z)^2. Circles, x1² + x2² alone, would not do.',
    data: { kind: 'ellipse', n: 120 }, kernel: '(1 + x.z)^2', learner: 'svm', tab: 'lift',
  },
  {
    title: 'The perceptron counts its mistakes',
    text: 'Step: an example is looked at, and if it is on the wrong side its α grows by one; the score is Σ α_j y_j k(x_j, x). Rings grow with α. With a margin γ in feature space there are never more than (R/γ)² mistakes, however long it runs.',
    data: { kind: 'moons', n: 40 }, kernel: 'rbf(1)', learner: 'perceptron', tab: 'history',
  },
  {
    title: 'Gradient descent on the squared loss',
    text: 'Each step is α_i ← α_i − s·2(f(x_i) − y_i), through the kernel alone. The loss falls fast along large eigenvalues of the Gram matrix and slowly along small ones: look at both. Slide back in time.',
    data: { kind: 'moons', n: 80 }, kernel: 'rbf(1)', learner: 'gd', tab: 'history',
  },
  {
    title: 'The widest margin',
    text: 'Dashed lines are the margins. Only the points on them or beyond, the support vectors, matter: erase any other, and nothing changes. A small C gives up some points for a wider margin.',
    data: { kind: 'moons', n: 80 }, kernel: 'rbf(1)', learner: 'svm', tab: 'gram',
  },
  {
    title: 'Is it a kernel? (exercise 21)',
    text: 'k must be an inner product of features. Sums, products, limits and f(x) k f(z) keep that, and the proof says which rules were used. tanh(x.z) looks like a kernel, but here are points whose Gram matrix has a negative eigenvalue. Try exp(x.z), x.z - 1, cos(|x-z|), min(1, x.z).',
    data: { kind: 'moons', n: 40 }, kernel: 'tanh(x.z)', learner: 'ridge', tab: 'gram',
  },
  {
    title: 'The radial basis kernel separates anything',
    text: 'Distinct points, whatever their classes, are separable in the feature space of rbf. Two spirals: make γ smaller and larger, and see the boundary go from too stiff to too nervous, and the Gram matrix from flat to diagonal.',
    data: { kind: 'spirals', n: 120 }, kernel: 'rbf(2)', learner: 'svm', tab: 'gram',
  },
];
