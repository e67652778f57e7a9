/**
 * A decaying window of each kind.
 */
export const HOT = { name: 'hot', kind: 'half-life', half_life: '6h' };
export const FADING = { name: 'fading', kind: 'step', every: 'hour', factor: 0.9 };
export const SMOOTH = { name: 'smooth', kind: 'linear', resets: 'day', at: '02:01:00', beta: 1.1 };
